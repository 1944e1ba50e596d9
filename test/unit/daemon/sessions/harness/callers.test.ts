import test from 'ava'
import type { DialectHarness, HarnessHook } from '../../../../../src/contract/sessions/harness-names.js'
import { createEventDeduplicator } from '../../../../../src/daemon/sessions/harness/event-deduplicator.js'
import { nativeInput, relay } from './relay.js'

const inject = { reply: { inject: 'known', clockContext: 'Noon.' } }
const folder = '/home/ann/.config/Code/User/workspaceStorage/ab12/GitHub.copilot-chat/transcripts'

/** Input of VS Code, the same for each hook of an event, whoever it was installed for. */
const vscode = (hookEventName: string, fields: object = {}) => ({
  timestamp: '2026-02-26T11:28:53.112Z',
  hookEventName,
  sessionId: '69cc6a03-7034',
  transcript_path: `${folder}/69cc6a03-7034.jsonl`,
  cwd: '/w',
  ...fields,
})
const grok = (hookEventName: string, fields: object = {}) => ({
  hookEventName,
  sessionId: 'g-1',
  cwd: '/w',
  workspaceRoot: '/w',
  timestamp: '2026-08-26T11:28:53.112Z',
  permissionMode: 'default',
  promptId: 'p-1',
  ...fields,
})
/** Input of Cursor, which calls events of a hook of Claude Code by the names of either. */
const cursor = (hook_event_name: string, fields: object = {}) => ({
  conversation_id: 'c-1',
  generation_id: 'gen-1',
  model: 'm',
  hook_event_name,
  cursor_version: '3.20.17',
  workspace_roots: ['/w'],
  ...fields,
})
const devin = (hook_event_name: string, fields: object = {}) => ({
  hook_event_name,
  session_id: 'd-1',
  prompt_id: 'p-1',
  cwd: '/w',
  ...fields,
})

for (const installed of ['claude-code', 'copilot'] as const) {
  test(`a start hook of ${installed} run by VS Code is answered in its words`, async t => {
    const input = vscode('SessionStart', { source: 'new' })
    const { asked, json } = await relay(installed, 'session-start', input, inject)
    t.deepEqual(asked?.body, {
      harness: 'vscode',
      sessionKey: '69cc6a03-7034',
      runtimePath: 'legacy',
      cwd: '/w',
      source: 'new',
    })
    t.is(asked?.headers?.['x-service-actor'], 'vscode')
    t.deepEqual(json, {
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'Noon.\n\nknown' },
    })
  })

  test(`a prompt of VS Code is only counted, since it takes no context with it (hook of ${installed})`, async t => {
    const input = vscode('UserPromptSubmit', { prompt: 'hello world' })
    const { asked, text } = await relay(installed, 'user-prompt-submit', input, inject)
    t.like(asked?.body, {
      harness: 'vscode',
      userMessage: 'hello world',
      transcriptPath: `${folder}/69cc6a03-7034.jsonl`,
      countOnly: true,
    })
    t.is(text, '')
  })
}

test('VS Code gets messages before tools, rules with a sub-agent, and nothing at a stop or a compaction', async t => {
  for (const [hook, event] of [
    ['notifications', 'PreToolUse'],
    ['subagent-start', 'SubagentStart'],
  ] as const) {
    const { json } = await relay('claude-code', hook, vscode(event), inject)
    t.is(json.hookSpecificOutput.hookEventName, event)
  }
  for (const [hook, event] of [
    ['session-checkpoint-extract', 'Stop'],
    ['pre-compaction', 'PreCompact'],
  ] as const) {
    const { asked, text } = await relay('claude-code', hook, vscode(event), { reply: { summaryPrompt: 'x' } })
    t.is(asked?.body.harness, 'vscode')
    t.is(text, '')
  }
})

test('Grok Build ignores hooks’ output, so its sessions are followed and nothing counts as given', async t => {
  for (const installed of ['claude-code', 'cursor'] as const) {
    const start = await relay(installed, 'session-start', grok('session_start'), inject)
    t.like(start.asked?.body, { harness: 'grok', sessionKey: 'g-1', claimOnly: true })
    const prompt = await relay(installed, 'user-prompt-submit', grok('user_prompt_submit'), inject)
    t.like(prompt.asked?.body, { harness: 'grok', countOnly: true })
    const stop = grok('stop', { lastAssistantMessage: 'Done.' })
    const checkpoint = await relay(installed, 'session-checkpoint-extract', stop, inject)
    t.like(checkpoint.asked?.body, { harness: 'grok', lastAssistantMessage: 'Done.' })
    t.deepEqual([start.text, prompt.text, checkpoint.text], ['', '', ''])
  }
  const last = grok('stop', { reason: 'shutdown' })
  t.falsy((await relay('claude-code', 'session-checkpoint-extract', last)).asked, 'it comes after the end')
  const tool = await relay('claude-code', 'notifications', grok('pre_tool_use'))
  t.deepEqual([tool.asked, tool.text, tool.outcome], [undefined, '', 'served'])
})

test('a hook of Claude Code run by Cursor is answered in Cursor’s words', async t => {
  for (const event of ['sessionStart', 'SessionStart']) {
    const { asked, json } = await relay('claude-code', 'session-start', cursor(event), inject)
    t.like(asked?.body, { harness: 'cursor', sessionKey: 'c-1', cwd: '/w' })
    t.deepEqual(json, { additional_context: 'Noon.\n\nknown' })
  }
  const prompt = cursor('UserPromptSubmit', { prompt: 'why' })
  const { json } = await relay('claude-code', 'user-prompt-submit', prompt, inject)
  t.deepEqual(json, { continue: true, additional_context: 'Noon.\n\nknown' })
})

test('a hook of Claude Code run by Devin counts as Devin’s', async t => {
  const prompt = devin('UserPromptSubmit', { prompt: 'why' })
  const { asked, json } = await relay('claude-code', 'user-prompt-submit', prompt, inject)
  t.like(asked?.body, { harness: 'devin', sessionKey: 'd-1' })
  t.is(json.hookSpecificOutput.hookEventName, 'UserPromptSubmit')
  const own = nativeInput('UserPromptSubmit', { prompt_id: 'p-1', prompt: 'why' })
  t.is((await relay('claude-code', 'user-prompt-submit', own)).asked?.body.harness, 'claude-code')
})

test('a hook of VS Code run by Copilot CLI is answered as Copilot’s own', async t => {
  const camel = { sessionId: 'p-1', timestamp: 1_780_000_000_000, cwd: '/w', source: 'new' }
  const { asked, json } = await relay('vscode', 'session-start', camel, inject)
  t.is(asked?.body.harness, 'copilot')
  t.deepEqual(json, { additionalContext: 'Noon.\n\nknown' })
})

for (const [who, first, second, hook, input] of [
  ['VS Code', 'claude-code', 'copilot', 'session-start', vscode('SessionStart')],
  ['VS Code', 'copilot', 'vscode', 'session-checkpoint-extract', vscode('Stop')],
  ['Grok Build', 'claude-code', 'cursor', 'session-end', grok('session_end')],
  ['Cursor', 'claude-code', 'cursor', 'session-start', cursor('sessionStart')],
  ['Cursor', 'cursor', 'claude-code', 'session-end', cursor('sessionEnd', { generation_id: undefined })],
  ['Devin', 'claude-code', 'devin', 'user-prompt-submit', devin('UserPromptSubmit', { prompt: 'why' })],
] as readonly (readonly [string, DialectHarness, DialectHarness, HarnessHook, object])[])
  test(`${hook} of ${who} is served once, however many files name it: ${first}, ${second}`, async t => {
    const heard = createEventDeduplicator()
    t.truthy((await relay(first, hook, input, { heard })).asked)
    const again = await relay(second, hook, input, { heard })
    t.deepEqual([again.asked, again.text, again.outcome], [undefined, '', 'served'])
  })

test('events without a name of their own are others after two seconds', async t => {
  let now = 0
  const heard = createEventDeduplicator(() => now)
  const input = devin('Stop', { prompt_id: 'p-1' })
  t.truthy((await relay('claude-code', 'session-checkpoint-extract', input, { heard })).asked)
  now = 1000
  t.falsy((await relay('devin', 'session-checkpoint-extract', input, { heard })).asked)
  now = 2001
  t.truthy((await relay('devin', 'session-checkpoint-extract', input, { heard })).asked)
})

test('two calls of tools by Devin are two events', async t => {
  const heard = createEventDeduplicator()
  const input = devin('PreToolUse', { tool_name: 'exec' })
  for (const _ of [1, 2]) t.truthy((await relay('claude-code', 'notifications', input, { heard })).asked)
})
