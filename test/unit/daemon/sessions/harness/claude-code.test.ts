import test from 'ava'
import { defaultGuidelines } from '../../../../../src/daemon/sessions/compaction/pre-compaction.js'
import { nativeInput, relay } from './relay.js'

const asClaude = relay.bind(undefined, 'claude-code')

for (const source of ['startup', 'resume', 'clear', 'compact', 'fork'])
  test(`SessionStart by ${source} requests the context of the session and injects it (rules.md 4.10)`, async t => {
    const input = nativeInput('SessionStart', { source, model: 'opus', session_title: 'x' })
    const { asked, json } = await asClaude('session-start', input, { reply: { inject: 'what is known' } })
    t.is(asked?.path, '/api/hooks/session-start')
    t.deepEqual(asked?.body, {
      harness: 'claude-code',
      sessionKey: 's-1',
      runtimePath: 'legacy',
      cwd: '/work/api',
      source,
    })
    t.deepEqual(json, {
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'what is known' },
    })
  })

test('UserPromptSubmit puts the clock before the context (rules.md 4.10)', async t => {
  const reply = { clockContext: 'It is noon.', inject: '## Relevant Entity Context\n- x', memoryCount: 1 }
  const input = nativeInput('UserPromptSubmit', { prompt: 'why does the build fail', source: 'user' })
  const { asked, json } = await asClaude('user-prompt-submit', input, { reply })
  t.like(asked?.body, {
    sessionKey: 's-1',
    userMessage: 'why does the build fail',
    transcriptPath: '/home/ann/.agent/s-1.jsonl',
  })
  t.deepEqual(json.hookSpecificOutput, {
    hookEventName: 'UserPromptSubmit',
    additionalContext: 'It is noon.\n\n## Relevant Entity Context\n- x',
  })
})

test('the clock is sent alone when nothing is injected', async t => {
  const reply = { clockContext: 'It is noon.', inject: '' }
  const { json } = await asClaude('user-prompt-submit', nativeInput('UserPromptSubmit', { prompt: 'ok' }), {
    reply,
  })
  t.is(json.hookSpecificOutput.additionalContext, 'It is noon.')
})

test('PreToolUse requests notifications for that event (rules.md 4.10)', async t => {
  const input = nativeInput('PreToolUse', {
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_use_id: 't',
  })
  const { asked, json } = await asClaude('notifications', input, { reply: { inject: 'a message' } })
  t.is(asked?.path, '/api/hooks/notifications')
  t.is(asked?.body.hook, 'PreToolUse')
  t.deepEqual(json, {
    hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'a message' },
  })
})

test('notifications of another event are requested and answered under its name', async t => {
  const { asked, json } = await asClaude('notifications', nativeInput('UserPromptSubmit', { prompt: 'x' }), {
    reply: { inject: 'a message' },
  })
  t.is(asked?.body.hook, 'UserPromptSubmit')
  t.is(json.hookSpecificOutput.hookEventName, 'UserPromptSubmit')
})

test('without unread messages the reply is empty (rules.md 4.10)', async t => {
  const { text, note } = await asClaude('notifications', nativeInput('PreToolUse'), { reply: { inject: '' } })
  t.is(text, '')
  t.is(note, undefined)
})

test('PreCompact adds the instructions once, as plain text (rules.md 4.10)', async t => {
  const reply = { summaryPrompt: 'Summarise. Keep decisions.', guidelines: 'Keep decisions.' }
  const input = nativeInput('PreCompact', { trigger: 'auto', custom_instructions: '' })
  const { asked, text, type } = await asClaude('pre-compaction', input, { reply })
  t.is(asked?.path, '/api/hooks/pre-compaction')
  t.is(type, 'text')
  t.is(text, 'Summarise. Keep decisions.')
})

test('a manual compaction gets only user-defined instructions, because they stay visible', async t => {
  const input = nativeInput('PreCompact', { trigger: 'manual', custom_instructions: '' })
  const ours = { summaryPrompt: `Summarise. ${defaultGuidelines}`, guidelines: defaultGuidelines }
  t.is((await asClaude('pre-compaction', input, { reply: ours })).text, '')
  const theirs = { summaryPrompt: 'Summarise. In French.', guidelines: 'In French.' }
  t.is((await asClaude('pre-compaction', input, { reply: theirs })).text, 'In French.')
})

for (const [told, kept] of [
  [
    '<analysis>\nI look back.\n</analysis>\n\n<summary>\n1. We chose SQLite.\n</summary>',
    '1. We chose SQLite.',
  ],
  ['<analysis>I look back.</analysis>\nWe chose SQLite.', 'We chose SQLite.'],
  ['<summary>We chose SQLite.', 'We chose SQLite.'],
  ['<analysis>all there is', '<analysis>all there is'],
] as const)
  test(`a summary is reduced to the part Claude Code itself keeps: ${told.replaceAll('\n', ' ')}`, async t => {
    const input = nativeInput('PostCompact', { trigger: 'auto', compact_summary: told })
    const { asked } = await asClaude('compaction-complete', input, { reply: { success: true } })
    t.is(asked?.body.summary, kept)
  })

test('PostCompact saves the summary and prints nothing (rules.md 4.10)', async t => {
  const input = nativeInput('PostCompact', { trigger: 'auto', compact_summary: 'We chose SQLite.' })
  const { asked, text } = await asClaude('compaction-complete', input, {
    reply: { success: true, memoryId: 'm', contextEpoch: 2, inject: 'never' },
  })
  t.like(asked?.body, { summary: 'We chose SQLite.', sessionKey: 's-1', cwd: '/work/api' })
  t.is(text, '')
})

test('PostCompact without a summary sends nothing', async t => {
  const { asked, text, note } = await asClaude('compaction-complete', nativeInput('PostCompact'))
  t.is(asked, undefined)
  t.is(text, '')
  t.regex(note ?? '', /the compaction has no summary/)
})

test('Stop is a checkpoint with the last answer, because the transcript is written late (rules.md 4.10)', async t => {
  const input = nativeInput('Stop', { stop_hook_active: false, last_assistant_message: 'Done.' })
  const { asked, text } = await asClaude('session-checkpoint-extract', input, { reply: { skipped: true } })
  t.is(asked?.path, '/api/hooks/session-checkpoint-extract')
  t.like(asked?.body, {
    sessionKey: 's-1',
    transcriptPath: '/home/ann/.agent/s-1.jsonl',
    lastAssistantMessage: 'Done.',
  })
  t.is(text, '')
})

for (const [reason, expected] of [
  ['clear', 'clear'],
  ['resume', 'session_switch'],
  ['logout', undefined],
  ['prompt_input_exit', undefined],
  ['other', undefined],
  ['bypass_permissions_disabled', undefined],
] as const)
  test(`SessionEnd by ${reason} ends the session with ${expected ?? 'no reason'} (rules.md 4.10)`, async t => {
    const { asked, text } = await asClaude('session-end', nativeInput('SessionEnd', { reason }), {
      reply: { transcriptCaptureJobId: 'j' },
    })
    t.is(asked?.path, '/api/hooks/session-end')
    t.is(asked?.body.reason, expected)
    t.like(asked?.body, { sessionId: 's-1', transcriptPath: '/home/ann/.agent/s-1.jsonl' })
    t.is(text, '')
  })

test('a stored SessionEnd carries the time it happened (rules.md 4.10: capturedAt)', async t => {
  const time = '2026-01-31T09:00:00.000Z'
  const { asked } = await asClaude('session-end', nativeInput('SessionEnd'), { time })
  t.is(asked?.body.capturedAt, time)
})

for (const [hook, event] of [
  ['session-start', 'SessionStart'],
  ['session-end', 'SessionEnd'],
  ['compaction-complete', 'PostCompact'],
  ['session-checkpoint-extract', 'Stop'],
] as const)
  test(`${event} of a sub-agent does not start, end or checkpoint its session`, async t => {
    const input = nativeInput(event, { agent_id: 'a-7', agent_type: 'Explore', compact_summary: 'x' })
    const { asked, text, outcome } = await asClaude(hook, input)
    t.is(asked, undefined)
    t.is(text, '')
    t.is(outcome, 'served')
  })

test('other events of a sub-agent carry its id (rules.md 4.10)', async t => {
  const { asked } = await asClaude('notifications', nativeInput('PreToolUse', { agent_id: 'a-7' }))
  t.like(asked?.body, { sessionKey: 's-1', harnessAgentId: 'a-7' })
})

test('the daemon sees the harness as the caller, acting by itself', async t => {
  const { asked } = await asClaude('session-start', nativeInput('SessionStart'))
  t.deepEqual(asked?.headers, { 'x-service-actor': 'claude-code', 'x-service-actor-type': 'harness' })
})
