import test from 'ava'
import { native, relayed } from './relay.js'

const asCodex = relayed.bind(undefined, 'codex')
const asGemini = relayed.bind(undefined, 'gemini')
const asCursor = relayed.bind(undefined, 'cursor')
const inject = { reply: { inject: 'known', clockContext: 'Noon.' } }

for (const [hook, event] of [
  ['session-start', 'SessionStart'],
  ['user-prompt-submit', 'UserPromptSubmit'],
  ['notifications', 'PreToolUse'],
] as const)
  test(`Codex ${event}: the envelope has no field that Codex does not know`, async t => {
    const { json } = await asCodex(hook, native(event, { turn_id: '1', model: 'm', prompt: 'x' }), inject)
    t.deepEqual(Object.keys(json), ['hookSpecificOutput'])
    t.deepEqual(json.hookSpecificOutput, { hookEventName: event, additionalContext: 'Noon.\n\nknown' })
  })

for (const [hook, event] of [
  ['pre-compaction', 'PreCompact'],
  ['session-checkpoint-extract', 'Stop'],
  ['session-end', 'SessionEnd'],
] as const)
  test(`Codex ${event}: nothing is printed, since nothing is honoured`, async t => {
    const fields = { transcript_path: null, last_assistant_message: null, reason: 'other' }
    const { asked, text } = await asCodex(hook, native(event, fields), {
      reply: { summaryPrompt: 'x', inject: 'y' },
    })
    t.is(asked?.path, `/api/hooks/${hook}`)
    t.is(asked?.body.transcriptPath, undefined)
    t.is(text, '')
  })

test('Codex: a text of many bytes is cut by its tokens, not by its characters', async t => {
  const lines = Array.from({ length: 400 }, () => '漢字漢字漢字漢字').join('\n')
  const { json } = await asCodex('session-start', native('SessionStart'), { reply: { inject: lines } })
  const bytes = Buffer.byteLength(json.hookSpecificOutput.additionalContext)
  t.true(bytes <= 10_000 && bytes > 9_500, String(bytes))
})

test('Gemini CLI: a start only takes the session, and is told nothing', async t => {
  const { asked, text } = await asGemini(
    'session-start',
    native('SessionStart', { source: 'startup' }),
    inject,
  )
  t.is(asked?.body.claimOnly, true)
  t.is(text, '')
})

test('Gemini CLI: one JSON object for the event that takes context', async t => {
  const prompt = await asGemini('user-prompt-submit', native('BeforeAgent', { prompt: 'why' }), inject)
  t.is(prompt.asked?.body.userMessage, 'why')
  t.deepEqual(prompt.json.hookSpecificOutput, {
    hookEventName: 'BeforeAgent',
    additionalContext: 'Noon.\n\nknown',
  })
})

test('Gemini CLI: AfterAgent is a checkpoint with the answer', async t => {
  const input = native('AfterAgent', { prompt: 'why', prompt_response: 'Because.', stop_hook_active: false })
  const { asked, text } = await asGemini('session-checkpoint-extract', input, inject)
  t.is(asked?.body.lastAssistantMessage, 'Because.')
  t.is(text, '')
})

test('Gemini CLI: PreCompress and SessionEnd print nothing', async t => {
  const compress = await asGemini('pre-compaction', native('PreCompress', { trigger: 'auto' }), {
    reply: { summaryPrompt: 'x' },
  })
  t.is(compress.text, '')
  const end = await asGemini('session-end', native('SessionEnd', { reason: 'clear' }), inject)
  t.is(end.asked?.body.reason, 'clear')
  t.is(end.text, '')
})

for (const hook of ['notifications', 'compaction-complete'] as const)
  test(`Gemini CLI has no event for ${hook}: nothing is asked`, async t => {
    const { asked, text } = await asGemini(hook, native('BeforeTool'))
    t.is(asked, undefined)
    t.is(text, '')
  })

/** What Cursor sends with every event. */
const cursorInput = (hook_event_name: string, fields: object = {}) => ({
  conversation_id: 'c-1',
  generation_id: 'g-1',
  hook_event_name,
  workspace_roots: ['/work/api', '/work/web'],
  cursor_version: '3.20.17',
  user_email: 'ann@example.org',
  model: 'm',
  ...fields,
})

test('Cursor: the conversation is the session, its first folder the project', async t => {
  const { asked, json } = await asCursor('session-start', cursorInput('sessionStart'), inject)
  t.deepEqual(asked?.body, {
    harness: 'cursor',
    sessionKey: 'c-1',
    runtimePath: 'legacy',
    cwd: '/work/api',
  })
  t.deepEqual(json, { additional_context: 'Noon.\n\nknown' })
})

test('Cursor: a prompt goes on, with context', async t => {
  const input = cursorInput('beforeSubmitPrompt', { prompt: 'why', attachments: [] })
  const { asked, json } = await asCursor('user-prompt-submit', input, inject)
  t.is(asked?.body.userMessage, 'why')
  t.deepEqual(json, { continue: true, additional_context: 'Noon.\n\nknown' })
})

test('Cursor: preCompact, stop and sessionEnd report and print nothing', async t => {
  const compact = await asCursor('pre-compaction', cursorInput('preCompact', { message_count: 12 }))
  t.is(compact.asked?.body.messageCount, 12)
  const stop = await asCursor('session-checkpoint-extract', cursorInput('stop', { transcript_path: '/t' }))
  t.is(stop.asked?.body.transcriptPath, '/t')
  const end = await asCursor('session-end', cursorInput('sessionEnd', { reason: 'completed' }))
  t.is(end.asked?.body.reason, undefined)
  t.deepEqual([compact.text, stop.text, end.text], ['', '', ''])
})
