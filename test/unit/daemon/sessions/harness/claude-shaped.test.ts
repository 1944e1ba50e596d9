import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { pino } from 'pino'
import { createEventDeduplicator } from '../../../../../src/daemon/sessions/harness/event-deduplicator.js'
import { createSessionFiles } from '../../../../../src/daemon/sessions/harness/session-files.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { nativeInput, relay } from './relay.js'

const inject = { reply: { inject: 'known', clockContext: 'Noon.' } }
const context = 'Noon.\n\nknown'

for (const harness of ['qwen', 'droid', 'junie', 'devin'] as const)
  for (const [hook, event] of [
    ['session-start', 'SessionStart'],
    ['user-prompt-submit', 'UserPromptSubmit'],
  ] as const)
    test(`${harness} takes the context of ${event} in the form of Claude Code`, async t => {
      const input = nativeInput(event, { prompt: 'why', submitted_prompt: 'why', source: 'startup' })
      const { asked, json } = await relay(harness, hook, input, inject)
      t.like(asked?.body, { harness, sessionKey: 's-1', cwd: '/work/api' })
      t.deepEqual(json, { hookSpecificOutput: { hookEventName: event, additionalContext: context } })
    })

for (const harness of ['qwen', 'droid', 'junie', 'devin', 'kiro'] as const)
  test(`${harness} reports a stop, and nothing is printed`, async t => {
    const input = nativeInput('Stop', { last_assistant_message: 'Done.' })
    const { asked, text } = await relay(harness, 'session-checkpoint-extract', input, inject)
    t.like(asked?.body, { harness, lastAssistantMessage: 'Done.' })
    t.is(text, '')
  })

for (const harness of ['pi', 'oh-my-pi'] as const)
  test(`our extension of ${harness} gets plain text, and its summaries are kept`, async t => {
    const named = { session_id: 's-1', cwd: '/work/api' }
    const start = await relay(harness, 'session-start', { ...named, source: 'startup' }, inject)
    t.deepEqual([start.text, start.type], [context, 'text'])
    t.is((await relay(harness, 'user-prompt-submit', { ...named, prompt: 'why' }, inject)).text, context)
    const compacted = { ...named, compact_summary: 'We chose SQLite.' }
    t.is((await relay(harness, 'compaction-complete', compacted)).asked?.body.summary, 'We chose SQLite.')
  })

test('Kiro adds plain text', async t => {
  for (const [hook, event] of [
    ['session-start', 'SessionStart'],
    ['user-prompt-submit', 'UserPromptSubmit'],
  ] as const) {
    const { text, type } = await relay('kiro', hook, nativeInput(event, { prompt: 'why' }), inject)
    t.deepEqual([text, type], [context, 'text'])
  }
})

test('results of tools do not count as prompts of Qwen Code, and its summaries are kept', async t => {
  const sent = nativeInput('UserPromptSubmit', { prompt: 'result of a tool' })
  const { asked, text, note } = await relay('qwen', 'user-prompt-submit', sent, inject)
  t.deepEqual([asked, text, note], [undefined, '', 'no person wrote this prompt'])
  const typed = nativeInput('UserPromptSubmit', { prompt: 'why <file>', submitted_prompt: 'why' })
  t.is((await relay('qwen', 'user-prompt-submit', typed, inject)).asked?.body.userMessage, 'why')
  const compacted = nativeInput('PostCompact', { compact_summary: 'We chose SQLite.' })
  t.is((await relay('qwen', 'compaction-complete', compacted)).asked?.body.summary, 'We chose SQLite.')
})

test('Hermes Agent gets context with a prompt, and its last conversation is captured at the end', async t => {
  const { files } = antigravity(t)
  const input = (hook_event_name: string, extra: object) => ({
    hook_event_name,
    tool_name: null,
    tool_input: null,
    session_id: '20261129_161500_a1b2c3',
    cwd: '/work/api',
    extra: { platform: 'cli', model: 'm', ...extra },
  })
  const ask = (hook: Parameters<typeof relay>[1], event: string, extra: object) =>
    relay('hermes-agent', hook, input(event, extra), { ...inject, files })
  const prompt = await ask('user-prompt-submit', 'pre_llm_call', { user_message: 'why', is_first_turn: true })
  t.like(prompt.asked?.body, { harness: 'hermes-agent', userMessage: 'why', cwd: '/work/api' })
  t.deepEqual(prompt.json, { context })
  const said = [
    { role: 'system', content: 'rules' },
    { role: 'user', content: 'why' },
    { role: 'assistant', content: '', tool_calls: [{ id: 'c' }] },
    { role: 'tool', content: 'rows' },
    { note: 'of no role' },
    { role: 'assistant', content: [{ type: 'text', text: 'The cache is stale.' }] },
  ]
  const transcript = [
    { role: 'user', text: 'why', at: null },
    { role: 'assistant', text: 'The cache is stale.', at: null },
  ]
  const stop = await ask('session-checkpoint-extract', 'post_llm_call', { conversation_history: said })
  t.like(stop.asked?.body, { transcript })
  const end = await ask('session-end', 'on_session_finalize', { reason: 'shutdown' })
  t.like(end.asked?.body, { transcript })
  t.is((await ask('session-end', 'on_session_finalize', {})).asked?.body.transcript, undefined)
})

test('what Hermes Agent compacted is kept as its summary once, and only what follows is captured', async t => {
  const { files } = antigravity(t)
  const heard = createEventDeduplicator()
  const head = { role: 'user', content: 'an old question', timestamp: 1795994716.6 }
  const summary =
    '[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns:\nWe chose SQLite.\n\n--- END OF CONTEXT SUMMARY — respond ---'
  const last = { role: 'user', content: 'why', timestamp: 1795994741.6 }
  const ask = (conversation_history: object[], reply: object | number = {}) =>
    relay(
      'hermes-agent',
      'session-checkpoint-extract',
      {
        hook_event_name: 'post_llm_call',
        session_id: '20261129_161500_a1b2c3',
        extra: { conversation_history },
      },
      { reply, files, heard },
    )
  const compacted = [head, { role: 'assistant', content: summary }, last]
  const at = '2026-11-29T23:25:41.600Z'
  const [kept, captured] = (await ask(compacted)).all
  t.is(kept?.path, '/api/hooks/compaction-complete')
  t.like(kept?.body, { harness: 'hermes-agent', summary: 'We chose SQLite.' })
  t.deepEqual(captured?.body.transcript, [{ role: 'user', text: 'why', at }])
  const again = await ask([...compacted, { role: 'assistant', content: 'Because.' }])
  t.deepEqual(
    again.all.map(({ path }) => path),
    ['/api/hooks/session-checkpoint-extract'],
  )
  const merged = `[PRIOR CONTEXT — for reference]\nwhy\n\n[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]\n\n${summary.replace('SQLite', 'Postgres')}`
  const [other, rest] = (await ask([head, { ...last, content: merged }])).all
  t.is(other?.body.summary, 'We chose Postgres.')
  t.deepEqual(rest?.body.transcript, [{ role: 'user', text: 'why', at }])
})

test('a task of Cline is captured from the log in its folder, each time it is done', async t => {
  const key = '1795995627607_pbdis'
  const home = temporaryWorkspace(t)
  const folder = join(home, 'data', 'sessions', key)
  mkdirSync(folder, { recursive: true })
  const log = join(folder, `${key}.messages.json`)
  const write = (...messages: object[]) =>
    writeFileSync(
      log,
      JSON.stringify({ version: 1, updated_at: '', agent: 'lead', sessionId: key, messages }),
    )
  const files = createSessionFiles({
    log: pino({ level: 'silent' }),
    paths: workspacePaths(join(home, 'w')),
    environment: { CLINE_DIR: home },
  })
  const done = (outputText: string, parent_agent_id: string | null = null) =>
    relay(
      'cline',
      'session-checkpoint-extract',
      {
        hookName: 'agent_end',
        taskId: 'conv_1',
        sessionContext: { rootSessionId: key },
        workspaceRoots: ['/work/api'],
        agent_id: 'agent_1',
        parent_agent_id,
        turn: { outputText, status: 'completed' },
      },
      { files },
    )
  const asked = { role: 'user', content: [{ type: 'text', text: '<user_input mode="act">why</user_input>' }] }
  write(asked)
  const first = await done('Because.')
  t.like(first.asked?.body, { harness: 'cline', sessionKey: key, cwd: '/work/api' })
  t.like(first.asked?.body.transcript, [
    { role: 'user', text: 'why' },
    { role: 'assistant', text: 'Because.' },
  ])
  write(asked, { role: 'assistant', content: [{ type: 'text', text: 'Because.' }] }, asked)
  t.is((await done('It is.')).asked?.body.transcript.length, 4)
  t.falsy((await done('x', 'agent_0')).asked, 'a sub-agent')
})

const session = 'b1946ac9-2b7f-4c1d-9a60-0123456789ab'

function antigravity(t: Parameters<typeof temporaryWorkspace>[0]) {
  const root = temporaryWorkspace(t)
  const folder = join(root, 'brain', session, '.system_generated', 'logs')
  mkdirSync(folder, { recursive: true })
  const transcriptPath = join(folder, 'transcript.jsonl')
  const lines: string[] = []
  const files = createSessionFiles({
    log: pino({ level: 'silent' }),
    paths: workspacePaths(join(root, 'w')),
    environment: {},
  })
  return {
    files,
    say: (line: object) => {
      lines.push(JSON.stringify(line))
      writeFileSync(transcriptPath, `${lines.join('\n')}\n`)
    },
    input: (fields: object) => ({
      conversationId: session,
      transcriptPath,
      workspacePaths: ['/w'],
      modelName: 'm',
      ...fields,
    }),
  }
}

test('Antigravity gets context once for each prompt of the transcript, in its own form', async t => {
  const { files, say, input } = antigravity(t)
  const heard = createEventDeduplicator()
  const ask = (invocationNum: number) =>
    relay('antigravity', 'user-prompt-submit', input({ invocationNum, initialNumSteps: 1 }), {
      ...inject,
      files,
      heard,
    })
  say({ source: 'USER_EXPLICIT', content: '<USER_REQUEST>\nwhy\n</USER_REQUEST>\n<META>x</META>' })
  const first = await ask(0)
  t.like(first.asked?.body, { harness: 'antigravity', sessionKey: session, userMessage: 'why', cwd: '/w' })
  t.deepEqual(first.json, { injectSteps: [{ ephemeralMessage: context }] })
  say({ source: 'MODEL', type: 'PLANNER_RESPONSE', content: 'Let me see.' })
  const tool = await ask(1)
  t.deepEqual([tool.asked, tool.text, tool.type], [undefined, '{}', 'json'])
  say({ source: 'USER_EXPLICIT', content: '<USER_REQUEST>and now</USER_REQUEST>' })
  t.is((await ask(2)).asked?.body.userMessage, 'and now')
})

test('Antigravity without a transcript gets context with its first request alone', async t => {
  const { files, input } = antigravity(t)
  const ask = (invocationNum: number) =>
    relay('antigravity', 'user-prompt-submit', input({ invocationNum }), { ...inject, files })
  t.truthy((await ask(0)).json.injectSteps)
  t.is((await ask(1)).text, '{}')
})

test('a stop of Antigravity counts when the work is done, and its conversation is read', async t => {
  const { files, say, input } = antigravity(t)
  say({ source: 'USER_EXPLICIT', content: '<USER_REQUEST>why</USER_REQUEST>' })
  say({ source: 'SYSTEM', content: 'a notice' })
  say({ source: 'MODEL', type: 'PLANNER_RESPONSE', content: 'The cache is stale.' })
  const stop = (fullyIdle: boolean) =>
    relay('antigravity', 'session-checkpoint-extract', input({ fullyIdle }), { files })
  t.deepEqual([(await stop(false)).asked, (await stop(false)).text], [undefined, '{}'])
  const { asked, text } = await stop(true)
  t.is(text, '{}')
  t.like(asked?.body.transcript, [
    { role: 'user', text: 'why' },
    { role: 'assistant', text: 'The cache is stale.' },
  ])
})

test('Kimi Code gets the context of a start with its first prompt, as plain text', async t => {
  const start = await relay(
    'kimi',
    'session-start',
    nativeInput('SessionStart', { source: 'startup' }),
    inject,
  )
  t.like(start.asked?.body, { harness: 'kimi', claimOnly: true })
  t.is(start.text, '')
  const prompt = nativeInput('UserPromptSubmit', {
    prompt: [{ type: 'text', text: 'why' }, { type: 'image' }, { type: 'text', text: 'so' }],
    is_steer: false,
  })
  const { asked, text, type } = await relay('kimi', 'user-prompt-submit', prompt, inject)
  t.is(asked?.body.userMessage, 'why\nso')
  t.deepEqual([text, type], [context, 'text'])
})

test('the log of a Kimi Code session is found in its folder and read without added texts', async t => {
  const home = temporaryWorkspace(t)
  const folder = join(home, 'sessions', 'wd_api_0123456789ab', session, 'agents', 'main')
  mkdirSync(folder, { recursive: true })
  const lines = [
    { type: 'metadata', protocol_version: '1.5' },
    {
      type: 'context.append_message',
      time: 1_780_000_000_000,
      message: { role: 'user', content: [{ type: 'text', text: 'why' }], origin: { kind: 'user' } },
    },
    {
      type: 'context.append_message',
      message: { role: 'user', content: 'memories', origin: { kind: 'hook_result' } },
    },
    {
      type: 'context.append_loop_event',
      event: { type: 'content.part', part: { type: 'text', text: 'The cache is stale.' } },
    },
    {
      type: 'context.append_loop_event',
      event: { type: 'content.part', part: { type: 'think', think: 'hidden' } },
    },
    { type: 'turn.ended' },
  ]
  writeFileSync(join(folder, 'wire.jsonl'), lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  const files = createSessionFiles({
    log: pino({ level: 'silent' }),
    paths: workspacePaths(join(home, 'w')),
    environment: { KIMI_CODE_HOME: home },
  })
  const stop = nativeInput('Stop', { session_id: session, transcript_path: undefined })
  const { asked } = await relay('kimi', 'session-checkpoint-extract', stop, { files })
  t.is(asked?.body.transcriptPath, join(folder, 'wire.jsonl'))
  t.deepEqual(
    asked?.body.transcript.map(({ role, text }: { role: string; text: string }) => [role, text]),
    [
      ['user', 'why'],
      ['assistant', 'The cache is stale.'],
    ],
  )
})

test('the log of Qwen Code is read without what hooks and tools added', async t => {
  const root = temporaryWorkspace(t)
  const transcript_path = join(root, `${session}.jsonl`)
  const line = (type: string, provenance: string, message?: object) => ({
    uuid: `${type} ${provenance}`,
    parentUuid: null,
    sessionId: session,
    timestamp: '2026-11-29T12:51:37.235Z',
    type,
    provenance,
    cwd: '/w',
    version: '0.24.4',
    ...(message && { message }),
  })
  const added = '<qwen:user-prompt-submit-context>\nNoon.\n</qwen:user-prompt-submit-context>'
  const lines = [
    line('user', 'real_user', { role: 'user', parts: [{ text: 'why' }, { text: added }] }),
    line('system', 'system'),
    line('assistant', 'assistant_output', {
      role: 'model',
      parts: [{ text: 'hidden', thought: true }, { text: 'The cache is stale.' }],
    }),
    line('tool_result', 'tool_result', { role: 'user', parts: [{ text: 'output' }] }),
  ]
  writeFileSync(transcript_path, lines.map(one => `${JSON.stringify(one)}\n`).join(''))
  const files = createSessionFiles({
    log: pino({ level: 'silent' }),
    paths: workspacePaths(join(root, 'w')),
    environment: {},
  })
  const stop = nativeInput('Stop', { session_id: session, transcript_path })
  const { asked } = await relay('qwen', 'session-checkpoint-extract', stop, { files })
  t.deepEqual(asked?.body.transcript, [
    { role: 'user', text: 'why', at: '2026-11-29T12:51:37.235Z' },
    { role: 'assistant', text: 'The cache is stale.', at: '2026-11-29T12:51:37.235Z' },
  ])
})
