import test from 'ava'
import { createEventDeduplicator } from '../../../../../src/daemon/sessions/harness/event-deduplicator.js'
import { nativeInput, relay } from './relay.js'

const asCopilot = relay.bind(undefined, 'copilot')
const asClaude = relay.bind(undefined, 'claude-code')
const inject = { reply: { inject: 'known', clockContext: 'Noon.' } }
const log = '/home/ann/.copilot/session-state/p-1/events.jsonl'
const timestamp = Date.parse('2026-11-22T14:44:22.002Z')

/** Input of Copilot CLI 1.0.102 for its own hooks. */
const camel = (fields: object = {}) => ({ sessionId: 'p-1', timestamp, cwd: '/w', ...fields })
/** Input of Copilot CLI for hooks from `.claude/settings.json`, for the same event. */
const pascal = (hook_event_name: string, fields: object = {}) => ({
  hook_event_name,
  session_id: 'p-1',
  timestamp: new Date(timestamp).toISOString(),
  cwd: '/w',
  ...fields,
})

test('context is at the top level of the sessionStart reply', async t => {
  const input = camel({ source: 'new', initialPrompt: 'why' })
  const { asked, json } = await asCopilot('session-start', input, inject)
  t.deepEqual(asked?.body, {
    harness: 'copilot',
    sessionKey: 'p-1',
    runtimePath: 'legacy',
    cwd: '/w',
    source: 'new',
  })
  t.deepEqual(json, { additionalContext: 'Noon.\n\nknown' })
})

test('a resumed session lost its first context and gets all of it again', async t => {
  const own = await asCopilot('session-start', camel({ source: 'resume' }))
  t.is(own.asked?.body.source, 'clear')
  const claude = await asClaude('session-start', pascal('SessionStart', { source: 'resume' }))
  t.is(claude.asked?.body.source, 'clear')
})

test('a prompt gets context too', async t => {
  const { asked, json } = await asCopilot('user-prompt-submit', camel({ prompt: 'why' }), inject)
  t.is(asked?.body.userMessage, 'why')
  t.deepEqual(json, { additionalContext: 'Noon.\n\nknown' })
})

test('preCompact, agentStop and sessionEnd report and print nothing', async t => {
  const compact = await asCopilot('pre-compaction', camel({ transcriptPath: log, trigger: 'auto' }), {
    reply: { summaryPrompt: 'x' },
  })
  const stop = await asCopilot('session-checkpoint-extract', camel({ transcriptPath: log }), inject)
  t.is(stop.asked?.body.transcriptPath, log)
  const end = await asCopilot('session-end', camel({ reason: 'user_exit' }), inject)
  t.is(end.asked?.body.reason, undefined)
  t.deepEqual([compact.text, stop.text, end.text], ['', '', ''])
})

test('a sub-agent has its own key and never counts as a session', async t => {
  const agentId = '27fd97c2-d21a-46a4-82d8-973a984e8a69'
  const of = { sessionId: agentId, agentId, parentAgentId: 'p-1', transcriptPath: log }
  for (const hook of ['user-prompt-submit', 'session-checkpoint-extract', 'pre-compaction'] as const)
    t.is((await asCopilot(hook, camel({ ...of, prompt: 'x' }))).asked, undefined, hook)
  const stop = pascal('Stop', { session_id: agentId, agent_id: agentId, transcript_path: log })
  t.is((await asClaude('session-checkpoint-extract', stop)).asked, undefined)
})

for (const [hook, event, fields] of [
  ['session-start', 'SessionStart', { source: 'new', initial_prompt: 'why' }],
  ['user-prompt-submit', 'UserPromptSubmit', { prompt: 'why' }],
] as const)
  test(`Claude Code hook ${event} run by Copilot CLI is answered in the format of Copilot`, async t => {
    const { asked, json } = await asClaude(hook, pascal(event, fields), inject)
    t.is(asked?.body.harness, 'copilot')
    t.is(asked?.headers?.['x-service-actor'], 'copilot')
    t.deepEqual(json, { additionalContext: 'Noon.\n\nknown' })
  })

test('Claude Code hooks Stop and SessionEnd run by Copilot CLI are captured as Copilot sessions', async t => {
  const stop = await asClaude('session-checkpoint-extract', pascal('Stop', { transcript_path: log }))
  t.like(stop.asked?.body, { harness: 'copilot', transcriptPath: log })
  const end = await asClaude('session-end', pascal('SessionEnd', { reason: 'complete' }))
  t.like(end.asked?.body, { harness: 'copilot', sessionKey: 'p-1' })
})

test('Claude Code hook PreToolUse run by Copilot CLI is ignored', async t => {
  const { asked, text, outcome } = await asClaude(
    'notifications',
    pascal('PreToolUse', { tool_name: 'Bash' }),
  )
  t.is(asked, undefined)
  t.is(text, '')
  t.is(outcome, 'served')
})

test('Claude Code itself is never treated as Copilot CLI', async t => {
  const late = nativeInput('SessionStart', { timestamp: '2026-11-22T14:44:22.002Z' })
  for (const input of [nativeInput('SessionStart'), late]) {
    const { asked, json } = await asClaude('session-start', input, inject)
    t.is(asked?.body.harness, 'claude-code')
    t.deepEqual(Object.keys(json), ['hookSpecificOutput'])
  }
})

test('an event reported by several hooks is served once, whichever comes first', async t => {
  const heard = createEventDeduplicator()
  const options = { ...inject, heard }
  const first = await asClaude('session-start', pascal('SessionStart'), options)
  const second = await asCopilot('session-start', camel(), options)
  t.truthy(first.json.additionalContext)
  t.is(second.asked, undefined)
  t.is(second.text, '')
  t.is(second.outcome, 'served')
  const end = await asCopilot('session-end', camel(), options)
  t.truthy(end.asked, 'another hook of that moment')
  const later = await asCopilot('session-start', camel({ timestamp: timestamp + 1 }), options)
  t.truthy(later.asked, 'the same hook at another moment')
})

test('an event that could not be served is accepted again', async t => {
  const heard = createEventDeduplicator()
  const busy = await asCopilot('session-end', camel(), { reply: 503, heard })
  t.is(busy.outcome, 'later')
  t.truthy((await asClaude('session-end', pascal('SessionEnd'), { heard })).asked)
})
