import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { endpoints } from '../../../src/contract/api.js'
import { harnessHooks } from '../../../src/contract/sessions/harness-names.js'
import { startDaemon, type TestDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { harnessHook as hook } from '../../helpers/harness-hook.js'
import { startTeam } from '../../helpers/team.js'

const sessionKey = '0198f3c2-7c11-7000-8000-00000000abcd'

const native = (hook_event_name: string, fields: object = {}): object => ({
  session_id: sessionKey,
  cwd: '/work/api',
  hook_event_name,
  ...fields,
})

const kept = ({ paths }: TestDaemon): string[] =>
  existsSync(paths.hookSpool) ? readdirSync(paths.hookSpool) : []

test('SessionStart of Claude Code gets the session’s context in its envelope (rules.md 2.4 and 4.10)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('We deploy with blue-green switches.', { pinned: true })
  const { status, text, type } = await hook(daemon, 'claude-code/session-start', native('SessionStart'))
  t.is(status, 200)
  t.regex(type ?? '', /^application\/json/)
  const { hookEventName, additionalContext } = JSON.parse(text).hookSpecificOutput
  t.is(hookEventName, 'SessionStart')
  t.regex(additionalContext, /^<service-memory-context version="1">\n/)
  t.regex(additionalContext, /blue-green/)
  t.true(additionalContext.length <= 10_000)
})

test('a context over the harness’s limit is cut to it, with the envelope closed', async t => {
  const daemon = await startDaemon(t, {
    settings: { hooks: { sessionStart: { maxInjectTokens: 20_000, recallLimit: 100 } } },
  })
  for (let n = 0; n < 60; n++)
    await daemon.remember(`rule ${n}: ${'always check the harbour crane before noon, '.repeat(12)}${n}`)
  for (const harness of ['claude-code', 'codex']) {
    const input = native('SessionStart', { session_id: `long-${harness}` })
    const { text } = await hook(daemon, `${harness}/session-start`, input)
    const { additionalContext } = JSON.parse(text).hookSpecificOutput
    t.true(additionalContext.length <= 10_000 && additionalContext.length > 8000)
    t.true(additionalContext.trimEnd().endsWith('</service-memory-context>'))
  }
})

test('UserPromptSubmit gets the clock (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const input = native('UserPromptSubmit', { prompt: 'why does the harbour crane stop' })
  const { text } = await hook(daemon, 'claude-code/user-prompt-submit', input)
  const { hookEventName, additionalContext } = JSON.parse(text).hookSpecificOutput
  t.is(hookEventName, 'UserPromptSubmit')
  t.regex(additionalContext, /UTC|[+-]\d{2}:\d{2}/)
})

test('commands and a plugin cannot both call hooks of one session: the second gets nothing (rules.md 3.3)', async t => {
  const daemon = await startDaemon(t)
  await daemon.call('POST /api/hooks/session-start', {
    body: { harness: 'claude-code', sessionKey, runtimePath: 'plugin' },
  })
  const { status, text, note } = await hook(daemon, 'claude-code/session-start', native('SessionStart'))
  t.deepEqual([status, text], [200, ''])
  t.regex(note ?? '', /claimed/)
})

test('a bypassed session gets nothing, and the reply says so (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  await hook(daemon, 'claude-code/session-start', native('SessionStart'))
  await daemon.call('POST /api/sessions/:key/bypass', {
    params: { key: sessionKey },
    body: { enabled: true },
  })
  const { status, text, note } = await hook(daemon, 'claude-code/session-start', native('SessionStart'))
  t.deepEqual([status, text], [200, ''])
  t.regex(note ?? '', /bypassed/)
})

/** Writes a session file in Claude Code's format. */
function transcriptOf(t: ExecutionContext, ...turns: readonly [role: string, text: string][]): string {
  const file = join(temporaryWorkspace(t), `${sessionKey}.jsonl`)
  const lines = turns.map(([type, content]) => JSON.stringify({ type, message: { role: type, content } }))
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

const said = async (daemon: TestDaemon): Promise<string | undefined> => {
  const { status, body } = await daemon.call('GET /api/sessions/:key/transcript', {
    params: { key: sessionKey },
  })
  return status === 200 ? body.content : undefined
}

test('SessionEnd of Claude Code captures the transcript at its path (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const transcript_path = transcriptOf(t, ['user', 'why does it fail'], ['assistant', 'The cache is stale.'])
  await hook(daemon, 'claude-code/session-start', native('SessionStart'))
  const input = native('SessionEnd', { transcript_path, reason: 'clear' })
  const { status, text, note } = await hook(daemon, 'claude-code/session-end', input)
  t.deepEqual([status, text, note], [200, '', null])
  t.regex(await until(() => said(daemon)), /The cache is stale/)
})

test('Stop captures an answer with a reminder once, as the file has it', async t => {
  const daemon = await startDaemon(t)
  const answer = `The cache is stale. ${'It was '.repeat(100)}<system-reminder>Be brief.</system-reminder>`
  const transcript_path = transcriptOf(t, ['user', 'why does it fail'], ['assistant', answer])
  await hook(daemon, 'claude-code/session-start', native('SessionStart'))
  const input = native('Stop', { transcript_path, last_assistant_message: answer })
  t.is((await hook(daemon, 'claude-code/checkpoint', input)).status, 200)
  const text = await until(() => said(daemon))
  t.is(text.split('The cache is stale').length, 2)
  t.false(text.includes('Be brief'))
})

test('Stop captures the conversation so far, with the answer missing from the file (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const transcript_path = transcriptOf(t, ['user', `why does it fail ${'so often '.repeat(80)}`])
  await hook(daemon, 'claude-code/session-start', native('SessionStart'))
  const input = native('Stop', { transcript_path, last_assistant_message: 'The cache is stale.' })
  const { status, text } = await hook(daemon, 'claude-code/checkpoint', input)
  t.deepEqual([status, text], [200, ''])
  t.regex(await until(() => said(daemon)), /so often[\s\S]*The cache is stale/)
})

for (const name of harnessHooks)
  test(`${name} is an API hook that the agents call`, t => {
    const known = endpoints.some(({ path }) => path === `/api/hooks/${name}`)
    t.true(known)
  })

test('PreCompact of Claude Code gets instructions as plain text (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const { status, text, type } = await hook(daemon, 'claude-code/pre-compaction', native('PreCompact'))
  t.is(status, 200)
  t.regex(type ?? '', /^text\/plain/)
  t.true(text.length > 100)
  t.false(text.startsWith('{'))
})

test('PostCompact of Claude Code saves its summary and gets nothing (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const input = native('PostCompact', { compact_summary: 'We chose SQLite for the ledger.' })
  const { status, text, note } = await hook(daemon, 'claude-code/compaction-complete', input)
  t.deepEqual([status, text, note], [200, '', null])
  t.is((await daemon.recall('which database for the ledger')).length, 1)
})

test('PostCompact of Codex saves the summary from its rollout (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const rollout = join(temporaryWorkspace(t), `rollout-2026-01-31T09-00-00-${sessionKey}.jsonl`)
  writeFileSync(
    rollout,
    `${JSON.stringify({ type: 'compacted', payload: { message: 'We chose Postgres for billing.' } })}\n`,
  )
  const input = native('PostCompact', { transcript_path: rollout, trigger: 'auto' })
  const { status, text } = await hook(daemon, 'codex/compaction-complete', input)
  t.deepEqual([status, text], [200, ''])
  t.is((await daemon.recall('which database for billing')).length, 1)
})

test('a Codex session compacted right after a resume gets its context once', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('We deploy with blue-green switches.', { pinned: true })
  const call = async (name: string, event: string, fields = {}) =>
    (await hook(daemon, `codex/${name}`, native(event, fields))).text
  const start = (source: string) => call('session-start', 'SessionStart', { source })
  t.regex(await start('startup'), /blue-green/)
  await call('compaction-complete', 'PostCompact')
  t.regex(await start('resume'), /blue-green/)
  t.is(await start('compact'), '')
})

test('a compaction with an unreadable summary leaves no memory', async t => {
  const daemon = await startDaemon(t)
  const rollout = join(temporaryWorkspace(t), `rollout-2026-01-31T09-00-00-${sessionKey}.jsonl`)
  const content = [{ type: 'input_text', text: 'which database for billing?' }]
  const replacement_history = [{ type: 'message', role: 'user', content }, { type: 'compaction' }]
  writeFileSync(rollout, JSON.stringify({ type: 'compacted', payload: { message: '', replacement_history } }))
  const input = native('PostCompact', { transcript_path: rollout })
  const { status, note } = await hook(daemon, 'codex/compaction-complete', input)
  t.is(status, 200)
  t.regex(note ?? '', /the compaction has no summary/)
  t.is((await daemon.recall('which database for billing')).length, 0)
})

for (const [what, input] of [
  ['no JSON', 'nonsense'],
  ['empty', ''],
  ['a list', '[]'],
  ['without a session', '{"cwd":"/x"}'],
  ['a prototype key', '{"__proto__":{"session_id":"s"}}'],
] as const)
  test(`invalid input (${what}) gets 200, nothing and a note`, async t => {
    const daemon = await startDaemon(t)
    const { status, text, note } = await hook(daemon, 'codex/session-start', input)
    t.deepEqual([status, text], [200, ''])
    t.regex(note ?? '', /had no effect/)
  })

test('input of another type or over 10 MiB gets 200, nothing and a note', async t => {
  const daemon = await startDaemon(t)
  const other = await hook(daemon, 'codex/session-end', '{}', { 'content-type': 'text/csv' })
  t.deepEqual([other.status, other.text], [200, ''])
  const huge = await hook(daemon, 'codex/session-end', `"${'x'.repeat(10 * 1024 * 1024)}"`)
  t.deepEqual([huge.status, huge.text], [200, ''])
  t.truthy(other.note && huge.note)
})

for (const path of ['vim/session-start', 'codex/sessionstart', 'CODEX/session-start'])
  test(`${path} is 404: an unknown harness or hook`, async t => {
    const daemon = await startDaemon(t)
    const { status, text } = await hook(daemon, path, native('SessionStart'))
    t.is(status, 404)
    t.is(JSON.parse(text).code, 'not_found')
  })

test('team mode requires a credential, and one without remember gets nothing (security.md 5.4)', async t => {
  const team = await startTeam(t)
  const input = native('PostCompact', { compact_summary: 'We chose SQLite.' })
  t.is((await hook(team, 'claude-code/compaction-complete', input)).status, 401)
  const reader = team.token({ role: 'readonly' })
  const { status, text, note } = await hook(team, 'claude-code/compaction-complete', input, reader)
  t.deepEqual([status, text], [200, ''])
  t.regex(note ?? '', /lacks the permission remember/)
})

test('a hook’s saves belong to the agent of its credential (security.md 5.2)', async t => {
  const team = await startTeam(t)
  const ann = await team.key({ name: 'ann', agentId: 'ann' })
  const input = native('PostCompact', { compact_summary: 'We chose SQLite.' })
  t.is((await hook(team, 'claude-code/compaction-complete', input, ann.headers)).note, null)
  const { body } = await team.call('GET /api/memories', { headers: team.admin, query: { agent_id: 'ann' } })
  const [memory] = body.memories
  const record = await team.call('GET /api/memory/:id', {
    params: { id: memory?.id ?? '' },
    headers: ann.headers,
  })
  t.is(record.body.agent_id, 'ann')
})

test('while writes are frozen a summary waits in the spool, and is saved afterwards (rules.md#kill-switch)', async t => {
  const workspace = temporaryWorkspace(t)
  const frozen = { memory: { pipelineV2: { mutationsFrozen: true } } }
  const first = await startDaemon(t, { workspace, settings: frozen })
  const input = native('PostCompact', { compact_summary: 'We chose SQLite for the ledger.' })
  const { status, text, note } = await hook(first, 'claude-code/compaction-complete', input)
  t.deepEqual([status, text], [200, ''])
  t.regex(note ?? '', /mutations_frozen/)
  t.is(kept(first).length, 1)
  await first.stop()
  const second = await startDaemon(t, { workspace })
  await until(() => kept(second).length === 0 || undefined)
  t.is((await second.recall('which database for the ledger')).length, 1)
})

test('a spooled hook keeps the origin of its caller (security.md 5.1)', async t => {
  const daemon = await startDaemon(t, { settings: { memory: { pipelineV2: { mutationsFrozen: true } } } })
  const input = native('PostCompact', { compact_summary: 'We chose SQLite for the ledger.' })
  for (const headers of [undefined, { 'x-forwarded-for': '203.0.113.9' }])
    await hook(daemon, 'claude-code/compaction-complete', input, headers)
  const entries = kept(daemon).map(name => readFileSync(join(daemon.paths.hookSpool, name), 'utf8'))
  t.deepEqual(
    entries.map(entry => JSON.parse(entry).elsewhere),
    [undefined, true],
  )
})

/** Sends an event as Copilot CLI does: to its own hook, and to a Claude Code hook found in the repository. */
async function asCopilot(
  daemon: TestDaemon,
  own: string,
  claude: string,
  fields: Record<string, string> = {},
) {
  const timestamp = Date.now()
  const at = new Date(timestamp).toISOString()
  const snake = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.replace('P', '_p'), value]),
  )
  return Promise.all([
    hook(daemon, `copilot/${own}`, { sessionId: sessionKey, timestamp, cwd: '/work/api', ...fields }),
    hook(daemon, `claude-code/${own}`, native(claude, { timestamp: at, ...snake })),
  ])
}

test('a Copilot CLI session with additional Claude Code hooks gets its context once', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('We deploy with blue-green switches.', { pinned: true })
  const told = await asCopilot(daemon, 'session-start', 'SessionStart', { source: 'new' })
  const [text, ...more] = told.map(({ text }) => text).filter(text => text !== '')
  t.deepEqual(more, [])
  t.regex(JSON.parse(text ?? '{}').additionalContext, /blue-green/)
})

test('a resumed Copilot CLI session gets its memories again, because it stores none', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('We deploy with blue-green switches.', { pinned: true })
  await asCopilot(daemon, 'session-start', 'SessionStart', { source: 'new' })
  const resume = { sessionId: sessionKey, timestamp: 1, cwd: '/work/api', source: 'resume' }
  t.regex((await hook(daemon, 'copilot/session-start', resume)).text, /blue-green/)
})

test('a Copilot CLI session with additional Claude Code hooks is captured once, under its name', async t => {
  const daemon = await startDaemon(t)
  const folder = join(temporaryWorkspace(t), 'session-state', sessionKey)
  mkdirSync(folder, { recursive: true })
  const transcriptPath = join(folder, 'events.jsonl')
  const lines = [
    { type: 'session.start', data: { sessionId: sessionKey } },
    { type: 'user.message', data: { content: 'why does it fail' } },
    { type: 'assistant.message', data: { content: 'The cache is stale.' } },
  ]
  writeFileSync(transcriptPath, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  await asCopilot(daemon, 'session-start', 'SessionStart')
  await asCopilot(daemon, 'checkpoint', 'Stop', { transcriptPath })
  await asCopilot(daemon, 'session-end', 'SessionEnd', { reason: 'complete' })
  t.regex(await until(() => said(daemon)), /why does it fail[\s\S]*The cache is stale/)
  const { body } = await daemon.call('GET /api/sessions/:key/transcript', { params: { key: sessionKey } })
  t.like(body, { harness: 'copilot', messages: 2 })
})
