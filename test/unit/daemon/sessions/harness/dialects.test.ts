import test from 'ava'
import { nativeInput, relay } from './relay.js'

const asCodex = relay.bind(undefined, 'codex')
const asGemini = relay.bind(undefined, 'gemini')
const asCursor = relay.bind(undefined, 'cursor')
const inject = { reply: { inject: 'known', clockContext: 'Noon.' } }

for (const [hook, event] of [
  ['session-start', 'SessionStart'],
  ['user-prompt-submit', 'UserPromptSubmit'],
  ['notifications', 'PreToolUse'],
] as const)
  test(`Codex ${event}: the reply contains only fields that Codex knows`, async t => {
    const { json } = await asCodex(
      hook,
      nativeInput(event, { turn_id: '1', model: 'm', prompt: 'x' }),
      inject,
    )
    t.deepEqual(Object.keys(json), ['hookSpecificOutput'])
    t.deepEqual(json.hookSpecificOutput, { hookEventName: event, additionalContext: 'Noon.\n\nknown' })
  })

for (const [hook, event] of [
  ['pre-compaction', 'PreCompact'],
  ['session-checkpoint-extract', 'Stop'],
  ['session-end', 'SessionEnd'],
] as const)
  test(`Codex ${event}: nothing is printed, because Codex ignores it`, async t => {
    const fields = { transcript_path: null, last_assistant_message: null, reason: 'other' }
    const { asked, text } = await asCodex(hook, nativeInput(event, fields), {
      reply: { summaryPrompt: 'x', inject: 'y' },
    })
    t.is(asked?.path, `/api/hooks/${hook}`)
    t.is(asked?.body.transcriptPath, undefined)
    t.is(text, '')
  })

test('Codex: a text of multibyte characters is cut by tokens, not by characters', async t => {
  const lines = Array.from({ length: 400 }, () => '漢字漢字漢字漢字').join('\n')
  const { json } = await asCodex('session-start', nativeInput('SessionStart'), { reply: { inject: lines } })
  const bytes = Buffer.byteLength(json.hookSpecificOutput.additionalContext)
  t.true(bytes <= 10_000 && bytes > 9_500, String(bytes))
})

test('Gemini CLI: a start only claims the session and prints nothing', async t => {
  const { asked, text } = await asGemini(
    'session-start',
    nativeInput('SessionStart', { source: 'startup' }),
    inject,
  )
  t.is(asked?.body.claimOnly, true)
  t.is(text, '')
})

test('Gemini CLI: an event that accepts context gets one JSON object', async t => {
  const prompt = await asGemini('user-prompt-submit', nativeInput('BeforeAgent', { prompt: 'why' }), inject)
  t.is(prompt.asked?.body.userMessage, 'why')
  t.deepEqual(prompt.json.hookSpecificOutput, {
    hookEventName: 'BeforeAgent',
    additionalContext: 'Noon.\n\nknown',
  })
})

test('Gemini CLI: AfterAgent is a checkpoint with the answer', async t => {
  const input = nativeInput('AfterAgent', {
    prompt: 'why',
    prompt_response: 'Because.',
    stop_hook_active: false,
  })
  const { asked, text } = await asGemini('session-checkpoint-extract', input, inject)
  t.is(asked?.body.lastAssistantMessage, 'Because.')
  t.is(text, '')
})

test('Gemini CLI: PreCompress and SessionEnd print nothing', async t => {
  const compress = await asGemini('pre-compaction', nativeInput('PreCompress', { trigger: 'auto' }), {
    reply: { summaryPrompt: 'x' },
  })
  t.is(compress.text, '')
  const end = await asGemini('session-end', nativeInput('SessionEnd', { reason: 'clear' }), inject)
  t.is(end.asked?.body.reason, 'clear')
  t.is(end.text, '')
})

for (const hook of ['notifications', 'compaction-complete'] as const)
  test(`Gemini CLI has no event for ${hook}, so nothing is sent`, async t => {
    const { asked, text } = await asGemini(hook, nativeInput('BeforeTool'))
    t.is(asked, undefined)
    t.is(text, '')
  })

/** Fields that Cursor sends with every event. */
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

test('the folder that Cursor names on Windows is a path of Windows', async t => {
  for (const [root, cwd] of [
    ['/c:/Users/ada/shop', 'c:/Users/ada/shop'],
    ['/C:/Users/ada/shop', 'C:/Users/ada/shop'],
    ['/home/ada/c:/shop', '/home/ada/c:/shop'],
  ]) {
    const input = cursorInput('sessionStart', { workspace_roots: [root] })
    const { asked } = await asCursor('session-start', input, inject)
    t.is(asked?.body.cwd, cwd)
  }
})

test('Cursor: a prompt continues with context', async t => {
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
