import test from 'ava'
import { readTranscript } from '../../../../../../src/daemon/sessions/transcripts/readers/read-transcript.js'

const own = (update: object) => ({
  timestamp: 1795987185,
  method: '_x.ai/session/update',
  params: { update },
})
const chunk = (sessionUpdate: string, text: string, more: object = {}) => ({
  timestamp: 1795987185,
  method: 'session/update',
  params: { sessionId: 'a', update: { sessionUpdate, content: { type: 'text', text }, ...more } },
})
const asked = (text: string, promptIndex: number) =>
  chunk('user_message_chunk', text, { _meta: { promptIndex } })

async function read(...lines: object[]): Promise<string[]> {
  const file = async function* () {
    yield lines.map(line => JSON.stringify(line)).join('\n')
  }
  const said: string[] = []
  for await (const { role, text, at } of readTranscript(file())) {
    said.push(`${role}: ${text}`)
    if (at !== '2026-11-29T21:19:45.000Z') said.push(`at ${at}`)
  }
  return said
}

test('pieces of a message of Grok Build are joined, and hooks between them are left out', async t => {
  const said = await read(
    own({ sessionUpdate: 'hook_execution', event_name: 'session_start' }),
    asked('Where is the heron', 0),
    asked(' deployed from?', 0),
    chunk('agent_thought_chunk', 'Let me think.'),
    chunk('agent_message_chunk', 'From '),
    own({ sessionUpdate: 'hook_execution', event_name: 'stop' }),
    chunk('agent_message_chunk', 'Lisbon.'),
    own({ sessionUpdate: 'turn_completed' }),
  )
  t.deepEqual(said, ['user: Where is the heron deployed from?', 'assistant: From Lisbon.'])
})

test('a tool and a second prompt of Grok Build end a message', async t => {
  const said = await read(
    asked('Look it up.', 0),
    chunk('agent_message_chunk', 'I look.'),
    { method: 'session/update', params: { update: { sessionUpdate: 'tool_call', title: 'use_tool' } } },
    chunk('agent_message_chunk', 'Found.'),
    asked('Stop.', 1),
    asked('Go on.', 2),
  )
  t.deepEqual(said, [
    'user: Look it up.',
    'assistant: I look.',
    'assistant: Found.',
    'user: Stop.',
    'user: Go on.',
  ])
})
