#!/usr/bin/env node
// fake-claude: stands in for the program `claude`, which the Claude Agent SDK starts. It runs the hooks as that
// program does, and answers a prompt with the context that they gave.
import { createInterface } from 'node:readline'

const waiting = new Map()
const hooks = {}
const key = process.env.FAKE_SESSION ?? 'f4c1a0de-0000-4000-8000-000000000001'
const send = message => process.stdout.write(`${JSON.stringify(message)}\n`)

async function contextOf(event, fields = {}) {
  const found = []
  for (const id of (hooks[event] ?? []).flatMap(({ hookCallbackIds }) => hookCallbackIds)) {
    const input = { hook_event_name: event, session_id: key, cwd: process.cwd(), ...fields }
    send({
      type: 'control_request',
      request_id: id,
      request: { subtype: 'hook_callback', callback_id: id, input },
    })
    const reply = await new Promise(resolve => waiting.set(id, resolve))
    found.push(reply.hookSpecificOutput?.additionalContext ?? '')
  }
  return found.filter(Boolean).join('\n')
}

async function answer(prompt) {
  const transcript_path = process.env.FAKE_TRANSCRIPT
  const context = [await contextOf('SessionStart', { source: 'startup' })]
  context.push(await contextOf('UserPromptSubmit', { prompt }))
  await contextOf('Stop', { transcript_path, stop_hook_active: false })
  const result = `I read: ${context.join('\n')}`
  const counts = { duration_ms: 1, duration_api_ms: 1, num_turns: 1, total_cost_usd: 0, usage: {} }
  send({ type: 'result', subtype: 'success', is_error: false, result, session_id: key, uuid: key, ...counts })
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.type === 'control_request') {
    Object.assign(hooks, message.request.hooks)
    const response = {
      subtype: 'success',
      request_id: message.request_id,
      response: { commands: [], models: [] },
    }
    send({ type: 'control_response', response })
  } else if (message.type === 'control_response') {
    waiting.get(message.response.request_id)?.(message.response.response ?? {})
  } else if (message.type === 'user') {
    const { content } = message.message
    void answer(typeof content === 'string' ? content : content.map(({ text }) => text).join('\n'))
  }
}
