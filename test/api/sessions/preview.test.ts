import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import type { Reply, Request } from '../../../src/contract/api.js'
import { startDaemon, type TestDaemon, type TestDaemonOptions } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { storeEntities } from '../../helpers/entities.js'
import { harnessHook } from '../../helpers/harness-hook.js'
import { keepNode, startSession, storeMessages, submitPrompt } from '../../helpers/hooks.js'
import { openRaw } from '../../helpers/store.js'
import { startTeam } from '../../helpers/team.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'

type PreviewBody = NonNullable<Request<'POST /api/sessions/preview'>['body']>
type Preview = Reply<'POST /api/sessions/preview'>

const dayMs = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString()

const acme = {
  name: 'Acme Corp',
  aliases: ['ACME'],
  attributes: [
    { aspect: 'seat', content: 'is in Berlin', score: 0.9 },
    { aspect: 'mood', content: 'is dull', score: 0.3 },
  ],
}

async function preview({ call }: TestDaemon, body: PreviewBody, headers = {}): Promise<Preview> {
  const reply = await call('POST /api/sessions/preview', { body, headers })
  if (reply.status !== 200) throw new Error(`preview answered ${reply.status}: ${JSON.stringify(reply.body)}`)
  return reply.body
}

/** A daemon with a stopped clock, a repository, and something for each part of a context. */
async function startFull(t: ExecutionContext, options: TestDaemonOptions = {}) {
  const now = new Date()
  const daemon = await startDaemon(t, {
    clock: () => now,
    environment: { SERVICE_PROMPT_SUBMIT_TIMEOUT: '120000' },
    ...options,
  })
  const folder = temporaryFolder(t, 'memory-service-preview')
  execFileSync('git', ['init', '-q', '-b', 'main', folder])
  execFileSync('git', ['-C', folder, 'remote', 'add', 'origin', 'https://git.example/acme/shop'])
  const project = 'git.example/acme/shop'
  const old = { project, createdAt: daysAgo(90) }
  await daemon.remember('never push to main on a Friday', { ...old, type: 'rule', importance: 0.9 })
  for (let n = 0; n < 8; n++) await daemon.remember(`we chose option ${n}`, { ...old, type: 'decision' })
  await daemon.remember('the till is broken', { ...old, createdAt: daysAgo(20), type: 'issue' })
  await daemon.remember('the shop closes at six', { ...old, pinned: true })
  for (let n = 0; n < 20; n++) await daemon.remember(`trivia number ${n}`, { project })
  await keepNode(daemon, 'a', { project, content: 'Asked: move the till\n\nAnswered: Moved it.' })
  await keepNode(daemon, 'b', { project, content: 'Asked: move the till\n\nAnswered: Moved it!' })
  storeEntities(t, daemon, [acme, { name: 'Gloom Ltd', attributes: [{ content: 'is dim', score: 0.1 }] }])
  storeMessages(t, daemon, [{ id: 'm1', broadcast: true, content: 'the build is red' }])
  writeFileSync(daemon.paths.summary, 'Notes of a person about the shop.')
  return { daemon, folder, project }
}

/** Returns the text that a hook of Claude Code or Codex adds. */
async function relayed(daemon: TestDaemon, path: string, input: object): Promise<string> {
  const { text } = await harnessHook(daemon, path, input)
  return text === '' ? '' : JSON.parse(text).hookSpecificOutput.additionalContext
}

test('a preview is what the hooks of Claude Code and Codex then give (sessions.md#preview)', async t => {
  const { daemon, folder } = await startFull(t)
  for (const harness of ['claude-code', 'codex'] as const) {
    const sessionKey = `session of ${harness}`
    const at = { harness, cwd: folder, sessionKey }
    const native = { session_id: sessionKey, cwd: folder }
    const start = await preview(daemon, at)
    const started = await relayed(daemon, `${harness}/session-start`, {
      ...native,
      hook_event_name: 'SessionStart',
      source: 'startup',
    })
    t.regex(started, /never push to main[\s\S]*the build is red[\s\S]*Moved it/)
    t.is(start.text, started)

    for (const prompt of ['Where is Acme Corp?', 'ok']) {
      const next = await preview(daemon, { ...at, event: 'prompt', prompt })
      const given = await relayed(daemon, `${harness}/user-prompt-submit`, {
        ...native,
        hook_event_name: 'UserPromptSubmit',
        prompt,
      })
      t.is(next.text, given, prompt)
    }
    const sub = await preview(daemon, { ...at, event: 'subagent' })
    const given = await relayed(daemon, `${harness}/subagent-start`, {
      ...native,
      hook_event_name: 'SubagentStart',
      agent_id: 'a-1',
    })
    t.regex(given, /the shop closes at six/)
    t.is(sub.text, given)
  }
})

test('a preview of a first prompt has its memories once, beside a start that was missed (sessions.md#preview)', async t => {
  const { daemon, folder } = await startFull(t, { settings: { context: { promptRecall: 'on' } } })
  const answer = 'The staging relay listens on port 9123 behind nginx'
  await daemon.remember(answer, { project: 'git.example/acme/shop' })
  const prompt = 'On which port does the staging relay listen behind nginx?'
  const expected = await preview(daemon, {
    harness: 'codex',
    cwd: folder,
    sessionKey: 'c1',
    event: 'prompt',
    prompt,
  })
  const given = await relayed(daemon, 'codex/user-prompt-submit', {
    session_id: 'c1',
    cwd: folder,
    hook_event_name: 'UserPromptSubmit',
    prompt,
  })
  t.is(given.split(answer).length, 2)
  t.regex(given, /never push to main/)
  t.is(expected.text, given)
})

test('a preview without a session is the text of a new one, with a key of the same length (sessions.md#preview)', async t => {
  const { daemon, folder } = await startFull(t)
  const { text, tokens, maxTokens, sessionKey } = await preview(daemon, { cwd: folder })
  t.is(sessionKey, null)
  const real = '0198f3a2-7c1e-7b4d-9a55-3f1f6f2b8f70'
  const { inject, diagnostics } = await startSession(daemon, { sessionKey: real, cwd: folder })
  t.is(text.replace('00ab00cd-0ef0-40ab-80cd-0ab00cd00ef0', real), inject)
  t.is(maxTokens, diagnostics.maxInjectTokens)
  t.true(Math.abs(tokens - diagnostics.injectTokens) <= 12)
})

test('a preview for OpenCode is what its plugin adds (sessions.md#preview)', async t => {
  const { daemon, folder } = await startFull(t)
  const at = { harness: 'opencode', cwd: folder, sessionKey: 'ses_1' } as const
  const start = await preview(daemon, at)
  t.is(start.text, (await startSession(daemon, at)).inject)
  const prompt = await preview(daemon, { ...at, event: 'prompt', prompt: 'Where is Acme Corp?' })
  const { body } = await submitPrompt(daemon, 'Where is Acme Corp?', at)
  t.is(prompt.text, `${body.clockContext}\n\n${body.inject}`)
  const sub = await preview(daemon, { ...at, event: 'subagent' })
  t.deepEqual([sub.text, sub.note], ['', 'OpenCode has no hook for the start of a sub-agent'])
})

test('a preview for Gemini CLI has the start with the first prompt (sessions.md#preview)', async t => {
  const { daemon, folder } = await startFull(t)
  const at = { harness: 'gemini', cwd: folder, sessionKey: 'g1' } as const
  t.is((await preview(daemon, at)).note, 'Gemini gets this text with its first prompt')
  const prompt = 'Where is Acme Corp?'
  const expected = await preview(daemon, { ...at, event: 'prompt', prompt })
  const given = await relayed(daemon, 'gemini/user-prompt-submit', {
    session_id: 'g1',
    cwd: folder,
    hook_event_name: 'BeforeAgent',
    prompt,
  })
  t.regex(given, /never push to main[\s\S]*is in Berlin/)
  t.is(expected.text, given)
})

test('the parts of a preview are the text, cut or not (sessions.md#preview)', async t => {
  const { daemon, folder } = await startFull(t, { settings: { context: { tokens: 20_000 } } })
  writeFileSync(daemon.paths.summary, 'Notes of a person. '.repeat(3000))
  for (const harness of ['claude-code', 'opencode'] as const)
    for (const event of ['start', 'prompt', 'subagent'] as const) {
      const prompt = event === 'prompt' ? 'Where is ACME?' : undefined
      const { text, parts } = await preview(daemon, { harness, event, prompt, cwd: folder })
      t.is(parts.map(part => part.text).join(''), text)
    }
  const cut = await preview(daemon, { cwd: folder })
  t.true(cut.parts.some(({ kind }) => kind === 'shortened'))
  t.true(cut.text.length <= 10_000)
})

/** Every row of every table, by table. */
async function rowsOf(
  t: ExecutionContext,
  { paths, daemon }: TestDaemon,
): Promise<Record<string, unknown[]>> {
  // Telemetry is written later.
  await daemon.telemetry.flush()
  const raw = openRaw(t, paths.database)
  const tables = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]
  return Object.fromEntries(
    tables.sort().map(table => [table, raw.prepare(`SELECT * FROM "${table}"`).all()]),
  )
}

test('a preview changes no table, however often it is called (sessions.md#preview)', async t => {
  const { daemon, folder } = await startFull(t)
  await startSession(daemon, { sessionKey: 's1', cwd: folder })
  await submitPrompt(daemon, 'Where is Acme Corp?', { sessionKey: 's1', cwd: folder })
  const elsewhere = temporaryFolder(t, 'memory-service-preview-new')
  execFileSync('git', ['init', '-q', elsewhere])
  await until(async () => (await daemon.call('GET /api/sessions/blackbox')).body.count === 1 || undefined)
  const previews = async (): Promise<void> => {
    for (const cwd of [folder, elsewhere, '/no/such/folder'])
      for (const fields of [{}, { sessionKey: 's1' }, { sessionKey: 'new', agentId: 'maya' }]) {
        await preview(daemon, { cwd, diff: true, ...fields })
        await preview(daemon, { cwd, event: 'prompt', prompt: '/deploy Acme Corp', ...fields })
        await preview(daemon, { cwd, event: 'prompt', prompt: 'Where is Acme Corp?', ...fields })
        await preview(daemon, { cwd, event: 'subagent', ...fields })
      }
    await daemon.call('GET /api/sessions/blackbox')
  }
  // The daemon's own jobs are counted at any moment, but not in each of three rounds.
  for (let round = 0; ; round++) {
    const before = await rowsOf(t, daemon)
    await previews()
    const after = await rowsOf(t, daemon)
    const changed = Object.keys(after).filter(table => !isDeepStrictEqual(after[table], before[table]))
    if (round < 2 && changed.length > 0 && changed.every(table => /^(?:telemetry_|jobs$|meta$)/u.test(table)))
      continue
    t.deepEqual(after, before)
    break
  }
})

test('each memory has its reason, and each place says what it leaves out (sessions.md#preview)', async t => {
  const { daemon, folder } = await startFull(t)
  const { parts, groups, project, projectName, branch } = await preview(daemon, { cwd: folder })
  t.deepEqual([project, projectName, branch], ['git.example/acme/shop', 'shop', 'main'])
  const memories = parts.filter(({ kind }) => kind === 'memory')
  t.deepEqual(
    memories.map(({ why }) => why),
    ['pinned', 'rule', ...Array(7).fill('decision'), 'open issue'],
  )
  t.like(memories[0], { record: { place: 'guide', rank: 1, pinned: true, score: 1 } })
  t.like(memories[9], { record: { place: 'issue', rank: 1, type: 'issue' } })
  t.deepEqual(
    groups.map(({ place, shown, notShown }) => [place, shown, notShown]),
    [
      ['guide', 9, 1],
      ['issue', 1, 0],
      ['newest', 0, 23],
      ['session', 1, 1],
      ['message', 1, 0],
    ],
  )
  const [guides, , newest, sessions] = groups
  t.deepEqual(new Set(guides!.first.map(({ reason }) => reason)), new Set(['full']))
  t.is(newest!.first.length, 5)
  t.like(sessions!.first[0], { reason: 'alike' })
  for (const kind of ['clock', 'entity'] as const) t.false(parts.some(part => part.kind === kind))
  for (const kind of ['instructions', 'sessionKey', 'message', 'session', 'summary'] as const)
    t.true(
      parts.some(part => part.kind === kind && part.why !== ''),
      kind,
    )
})

test('the budget, an alike memory and a memory that is never used are reasons (sessions.md#preview)', async t => {
  const daemon = await startDaemon(t, { settings: { context: { tokens: 300 } } })
  const first = await daemon.remember('Releases of the shop are made on a Thursday', { type: 'rule' })
  await daemon.remember('releases of the shop are made on Thursday', { type: 'rule', importance: 0.1 })
  for (let n = 0; n < 9; n++)
    await daemon.remember(`fact ${n} ${'and more '.repeat(30)}`, { project: '/shop' })
  const { groups } = await preview(daemon, { project: '/shop' })
  const [guides, newest] = groups
  t.like(guides!.first[0], {
    reason: 'alike',
    alikeTo: first,
    text: 'releases of the shop are made on Thursday',
  })
  t.is(newest!.first[0]?.reason, 'budget')
  t.is(newest!.shown + newest!.notShown, 9)

  const told = await startDaemon(t)
  for (let n = 0; n < 12; n++)
    await told.remember(`trivia number ${n}`, { project: '/shop', createdAt: daysAgo(n) })
  for (const sessionKey of ['s1', 's2', 's3']) await startSession(told, { sessionKey, project: '/shop' })
  await until(async () => (await told.call('GET /api/sessions/blackbox')).body.count === 3 || undefined)
  const reasons = (await preview(told, { project: '/shop' })).groups[0]!.first.map(({ reason }) => reason)
  t.deepEqual(reasons, ['unused', 'unused'])
})

test('a preview for a session leaves out its own memories, and one that is bypassed gets nothing (sessions.md#preview)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('known from the start')
  await startSession(daemon, { sessionKey: 's1' })
  await daemon.remember('learned since')
  const { text, shownBefore } = await preview(daemon, { sessionKey: 's1' })
  t.is(shownBefore, 1)
  t.regex(text, /learned since/)
  t.notRegex(text, /known from the start/)
  await daemon.call('POST /api/sessions/:key/bypass', { params: { key: 's1' }, body: { enabled: true } })
  t.like(await preview(daemon, { sessionKey: 's1' }), { text: '', note: 'The hooks of this session are off' })
})

test('a prompt is explained: what it names, what is too uncertain, or why nothing is added (sessions.md#preview)', async t => {
  const { daemon } = await startFull(t)
  storeMessages(t, daemon, []).exec('DELETE FROM agent_messages')
  const ask = (prompt: string) => preview(daemon, { event: 'prompt', prompt })
  const found = await ask('Where are ACME and Gloom Ltd?')
  t.like(
    found.parts.find(({ kind }) => kind === 'entity'),
    { why: 'by alias', record: { place: 'entity', score: 0.9 } },
  )
  t.like(found.groups[0], { place: 'entity', shown: 1, notShown: 1 })
  t.like(found.groups[0]!.first[0], { text: 'Gloom Ltd', reason: 'notSure' })
  t.is(found.parts[0]?.kind, 'clock')
  t.regex((await ask('fix the till')).note ?? '', /names no entity/)
  t.regex((await ask('ok')).note ?? '', /greeting/)
})

test('a difference names what is new and what is gone since the last start, and why (sessions.md#preview)', async t => {
  const daemon = await startDaemon(t)
  const save = (content: string, fields = {}) => daemon.remember(content, { project: '/shop', ...fields })
  t.is((await preview(daemon, { project: '/shop', diff: true })).difference, null)
  const rule = await save('never push to main', { type: 'rule' })
  const dropped = await save('the port is 4000')
  for (let n = 0; n < 8; n++) await save(`trivia number ${n}`, { importance: 0.2, createdAt: daysAgo(9) })
  await startSession(daemon, { sessionKey: 's1', project: '/shop', harness: 'codex' })
  await daemon.call('DELETE /api/memory/:id', { params: { id: dropped }, body: { reason: 'moved' } })
  const added = await save('the port is 5000')
  const other = await save('the queue is stuck')
  const { difference } = await preview(daemon, { project: '/shop', diff: true })
  t.like(difference, { sessionKey: 's1', harness: 'codex', same: 8 })
  t.deepEqual(
    difference?.added.map(({ id, why }) => `${id} ${why}`).sort(),
    [`${added} new`, `${other} new`].sort(),
  )
  t.is(difference?.removed.length, 2)
  t.like(
    difference?.removed.find(({ id }) => id === dropped),
    { why: 'forgotten', text: '' },
  )
  t.like(
    difference?.removed.find(({ id }) => id !== dropped),
    { why: 'places are full', type: 'fact' },
  )
  t.false(difference?.removed.some(({ id }) => id === rule))
})

test('an unknown harness, a prompt without text and a difference of a prompt are refused (sessions.md#preview)', async t => {
  const { call } = await startDaemon(t)
  const ask = (body: object) => call('POST /api/sessions/preview', { body: body as PreviewBody })
  const unknown = await ask({ harness: 'emacs' })
  t.is(unknown.status, 400)
  t.regex(JSON.stringify(unknown.body), /claude-code[\s\S]*opencode/)
  t.is((await ask({ event: 'prompt' })).status, 400)
  t.is((await ask({ prompt: 'hello' })).status, 400)
  t.is((await ask({ event: 'prompt', prompt: 'hello', diff: true })).status, 400)
})

test('a preview shows an agent nothing that others keep to themselves, nor other projects (sessions.md#preview)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('private to maya', { agentId: 'maya', visibility: 'private', type: 'rule' })
  await daemon.remember('a rule of the bank', { project: '/bank', type: 'rule' })
  const own = await preview(daemon, { agentId: 'maya', project: '/shop', event: 'subagent' })
  t.regex(own.text, /private to maya/)
  for (const event of ['start', 'subagent'] as const) {
    const shown = JSON.stringify(await preview(daemon, { project: '/shop', event }))
    t.notRegex(shown, /private to maya|rule of the bank/)
  }
})

test('a confined token previews only its own project, agent and author (sessions.md#preview and security.md 5.4)', async t => {
  const daemon = await startTeam(t)
  const { call, token, admin } = daemon
  for (const project of ['web', 'api'])
    await call('POST /api/memory/remember', {
      body: { content: `the rule of ${project}`, project, type: 'rule', who: project },
      headers: admin,
    })
  const web = token({ role: 'readonly', scope: { project: 'web' } })
  const { text, project } = await preview(daemon, { project: 'web' }, web)
  t.is(project, 'web')
  t.regex(text, /the rule of web/)
  t.notRegex(JSON.stringify(await preview(daemon, {}, web)), /the rule of api/)
  const ask = (body: PreviewBody, headers: object) =>
    call('POST /api/sessions/preview', { body, headers: headers as Record<string, string> })
  t.is((await ask({ project: 'api' }, web)).status, 403)
  const ann = token({ role: 'readonly', scope: { agent: 'ann' } })
  t.is((await ask({ agentId: 'bob' }, ann)).status, 403)
  const author = token({ role: 'readonly', scope: { user: 'web' } })
  t.notRegex(JSON.stringify(await preview(daemon, { project: 'api' }, author)), /the rule of api/)
  t.is((await ask({}, {})).status, 401)
})

test('branches of other working trees stay out of a preview where they are isolated (sessions.md#preview)', async t => {
  const { daemon, folder } = await startFull(t, { settings: { memory: { branches: 'isolated' } } })
  const headers = { 'x-service-project': encodeURIComponent(folder) }
  execFileSync('git', ['-C', folder, 'symbolic-ref', 'HEAD', 'refs/heads/feature'])
  const body = { content: 'only on the feature branch', type: 'rule' as const, pinned: true }
  await daemon.call('POST /api/memory/remember', { body, headers })
  const there = await preview(daemon, { cwd: folder })
  t.is(there.branch, 'feature')
  t.regex(there.text, /only on the feature branch/)
  execFileSync('git', ['-C', folder, 'symbolic-ref', 'HEAD', 'refs/heads/main'])
  t.regex(readFileSync(join(folder, '.git', 'HEAD'), 'utf8'), /main/)
  t.notRegex((await preview(daemon, { cwd: folder })).text, /only on the feature branch/)
})
