import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'ava'
import { endpoints } from '../../../src/contract/api.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { gitIn } from '../../helpers/git.js'
import { startSession } from '../../helpers/hooks.js'
import { codeProject, enableCode, indexesIn, indexProject } from '../../helpers/indexed-project.js'
import { callTool, connectHttp } from '../../helpers/mcp.js'
import { fromOutside, startTeam } from '../../helpers/team.js'

/** Sessions are checked every minute. */
const lookAgainMs = 90_000

test('while the plugin is disabled, every code route is denied and no tool is listed (code-index.md 1)', async t => {
  const daemon = await startDaemon(t)
  const routes = endpoints.filter(({ path }) => path.startsWith('/api/code/'))
  t.is(routes.length, 11)
  for (const { method, path } of routes) {
    const reply = await fetch(`${daemon.url}${path}`, {
      method,
      ...(method === 'POST' && { headers: { 'content-type': 'application/json' }, body: '{}' }),
    })
    t.is(reply.status, 403, path)
    t.is(((await reply.json()) as { code: string }).code, 'plugin_capability_denied', path)
  }
  const client = await connectHttp(t, daemon.url)
  const named = async () =>
    (await client.listTools()).tools.filter(({ name }) => name.startsWith('service_code')).length
  t.is(await named(), 0)
  await enableCode(daemon)
  t.is(await named(), 8)
})

test('only folders of sessions, or folders named by the user, may be indexed (code-index.md 2)', async t => {
  const daemon = await startDaemon(t)
  const { call } = daemon
  await enableCode(daemon)
  const { root } = codeProject(t)
  const status = async (project: string) => (await call('GET /api/code/status', { query: { project } })).body
  t.like(await status(root), { code: 'forbidden_project' })
  t.like(await status('src'), { code: 'validation_failed' })
  t.like(await status(join(root, 'nowhere')), { code: 'not_found' })
  for (const project of ['/', homedir(), dirname(homedir()), daemon.paths.root, daemon.paths.daemonDir]) {
    const body = { project, named: true }
    t.like((await call('POST /api/code/index', { body })).body, { code: 'forbidden_project' }, project)
  }
  const link = join(root, '..', `link-${Date.now()}`)
  symlinkSync(homedir(), link)
  t.like((await call('POST /api/code/index', { body: { project: link, named: true } })).body, {
    code: 'forbidden_project',
  })
  const asTool = await fetch(`${daemon.url}/api/code/index`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-actor': 'mcp-server' },
    body: JSON.stringify({ project: root, named: true }),
  })
  t.like(await asTool.json(), { code: 'forbidden_project' })
  t.false(existsSync(join(root, '.memory-service')))
  await startSession(daemon, { sessionKey: 's1', cwd: root, project: root })
  t.like(await status(root), { project: root, indexed: false, job: null })
  t.like((await call('GET /api/code/search', { query: { project: root, query: 'x' } })).body, {
    code: 'not_indexed',
  })
  mkdirSync(join(root, 'src', 'deep'))
  t.is((await status(join(root, 'src', 'deep'))).project, root, 'a subfolder belongs to the project')
  t.is((await call('GET /api/code/status')).body.project, root, 'the project of the session')
})

test('a project is indexed in the background, queried and cleared (code-index.md 3)', async t => {
  const daemon = await startDaemon(t)
  const { call } = daemon
  await enableCode(daemon)
  const { root, put } = codeProject(t, { 'src/broken.bin.ts': '\u0000\u0001\u0002' })
  const read = await indexProject(daemon, root)
  t.like(read, { project: root, indexed: true })
  t.like(read.job, { state: 'done', error: null })
  t.is(read.job?.result?.read, 3)
  const project = { project: root }
  const found = await call('GET /api/code/search', {
    query: { ...project, query: 'open store', debug: true },
  })
  t.like(found.body.results[0], { name: 'openStore', path: 'src/store.ts', line: 2 })
  t.truthy(found.body.results[0]?.why)
  const context = await call('GET /api/code/context', { query: { ...project, symbol: 'openStore' } })
  t.deepEqual(
    context.body.definitions[0]?.callers.map(({ symbol, certainty }) => [symbol.qualified, certainty]),
    [['liftContainer', 'certain']],
  )
  const blast = await call('GET /api/code/blast', { query: { ...project, symbol: 'openStore' } })
  t.deepEqual(
    blast.body.nodes.map(({ symbol, depth }) => [symbol.qualified, depth]),
    [
      ['liftContainer', 1],
      ['main', 2],
    ],
  )
  t.like((await call('GET /api/code/context', { query: { ...project, symbol: 'OpenStore' } })).body, {
    code: 'not_found',
  })
  for (const symbol of ['../../etc/passwd', '/etc/passwd:root'])
    t.like((await call('GET /api/code/context', { query: { ...project, symbol } })).body, {
      code: 'not_found',
    })
  t.is(
    (await call('GET /api/code/blast', { query: { ...project, symbol: 'x', direction: 'up' } })).status,
    400,
  )
  const constants = await call('GET /api/code/constants', { query: project })
  t.like(constants.body.constants[0], { name: 'craneLimitTons', value: '40', path: 'src/crane.ts' })
  const briefing = await call('GET /api/code/briefing', { query: { ...project, compact: true } })
  t.like(briefing.body, { name: 'harbour', description: 'Keeps cranes.' })
  t.true(briefing.body.entryPoints.some(({ path }) => path === 'src/main.ts'))
  put('src/main.ts', 'export const changed = 1\n')
  const doctor = await call('GET /api/code/doctor', { query: project })
  t.deepEqual(doctor.body.stale, [{ path: 'src/main.ts', change: 'changed' }])
  t.true(doctor.body.skipped.some(({ reason }) => reason === 'binary'))
  const again = await indexProject(daemon, root)
  t.is(again.job?.result?.read, 1, 'only changed files')
  t.is((await indexProject(daemon, root, { full: true })).job?.result?.read, 3)
  t.like((await call('POST /api/code/clear', { body: project })).body, { code: 'confirm_required' })
  t.is(indexesIn(root).length, 1)
  const clear = { body: { ...project, confirm: true } }
  t.deepEqual((await call('POST /api/code/clear', clear)).body, { ...project, cleared: true })
  t.deepEqual(indexesIn(root), [])
  t.deepEqual((await call('POST /api/code/cancel', { body: project })).body, { ...project, cancelled: false })

  // A project may replace its index folder with a link, whose target is neither read nor deleted.
  const folder = join(root, '.memory-service')
  const elsewhere = codeProject(t, { 'code.db': 'mine' }).root
  rmSync(folder, { recursive: true })
  symlinkSync(elsewhere, folder)
  t.like((await call('GET /api/code/search', { query: { ...project, query: 'x' } })).body, {
    code: 'conflict',
  })
  t.like((await call('POST /api/code/clear', clear)).body, { code: 'conflict' })
  t.true(existsSync(join(elsewhere, 'code.db')))
  rmSync(folder)
  const client = await connectHttp(t, daemon.url)
  const answer = await callTool(client, 'service_code_search', { query: 'crane', project: root })
  t.true(answer.isError)
  t.regex(answer.text, /not indexed.*memory code index/su)
})

test('a device in place of .gitignore holds up neither its project nor the next one (security.md#foreign-folders)', async t => {
  // Windows has no such files.
  if (process.platform === 'win32') return t.pass()
  const daemon = await startDaemon(t)
  await enableCode(daemon)
  const [hostile, other] = [codeProject(t), codeProject(t)]
  symlinkSync('/dev/ptmx', join(hostile.root, '.gitignore'))
  t.is((await indexProject(daemon, hostile.root)).job?.result?.read, 3)
  t.is((await indexProject(daemon, other.root)).job?.result?.read, 3)
})

test('an index that a folder brings with it is never opened (security.md#foreign-folders)', async t => {
  const [one, two] = [await startDaemon(t), await startDaemon(t)]
  const { root } = codeProject(t)
  for (const daemon of [one, two]) await enableCode(daemon)
  await indexProject(one, root)
  const folder = join(root, '.memory-service')
  const [foreign = ''] = indexesIn(root)
  copyFileSync(join(folder, foreign), join(folder, 'code.db'))
  const before = readFileSync(join(folder, foreign))
  t.is((await indexProject(two, root)).job?.result?.read, 3)
  t.is(indexesIn(root).length, 3)
  await two.call('POST /api/code/clear', { body: { project: root, confirm: true } })
  t.deepEqual(indexesIn(root).toSorted(), ['code.db', foreign].toSorted())
  t.deepEqual(readFileSync(join(folder, foreign)), before)
})

test('tools return the same answers as text, for the session’s project (code-index.md 12)', async t => {
  const daemon = await startDaemon(t)
  await enableCode(daemon)
  const { root } = codeProject(t)
  await indexProject(daemon, root)
  await startSession(daemon, { sessionKey: 's1', cwd: root, project: root })
  const client = await connectHttp(t, daemon.url)
  const told = async (name: string, args: Record<string, unknown> = {}) =>
    (await callTool(client, `service_code_${name}`, args)).text
  t.regex(await told('search', { query: 'openStore' }), /^- function openStore \(src\/store\.ts:2-4\)/u)
  t.regex(
    await told('context', { symbol: 'openStore' }),
    /Used by \(1\):\n- call liftContainer at src\/crane\.ts:6/u,
  )
  t.regex(await told('blast', { symbol: 'openStore' }), / {2}liftContainer \(call at .*\n {4}main \(call/u)
  t.regex(await told('status'), /3 files/u)
  t.regex(await told('doctor'), /The index is healthy/u)
  t.regex(await told('constants'), /craneLimitTons = 40/u)
  t.regex(await told('briefing', { compact: true }), /^harbour \(/u)
  t.regex(await told('clear'), /confirm_required/u)
  t.regex(await told('clear', { confirm: true }), /is deleted/u)
})

test('a running index pass can be stopped, and the next one continues (code-index.md 3)', async t => {
  const daemon = await startDaemon(t)
  const { call } = daemon
  await enableCode(daemon)
  const many = Array.from({ length: 200 }, (_, at) => [`src/f${at}.ts`, `export const f${at} = ${at}\n`])
  const { root } = codeProject(t, Object.fromEntries(many))
  const project = { project: root }
  const job = async () => (await call('GET /api/code/status', { query: project })).body.job
  // A pass may end between two looks at a busy moment; then another full one is stopped.
  const stopped = await until(async () => {
    const { jobId } = (await call('POST /api/code/index', { body: { ...project, named: true, full: true } }))
      .body
    const again = (await call('POST /api/code/index', { body: project })).body.jobId
    const seen = await until(async () => {
      const now = await job()
      return now && now.state !== 'waiting' ? now : undefined
    })
    if (seen.state !== 'running') return undefined
    const { body } = await call('POST /api/code/cancel', { body: project })
    return body.cancelled ? { jobId, again, body } : undefined
  })
  t.is(stopped.again, stopped.jobId, 'one job is enough')
  t.deepEqual(stopped.body, { ...project, cancelled: true })
  t.like(await job(), { id: stopped.jobId, state: 'cancelled', error: null })
  const read = await indexProject(daemon, root)
  t.is(read.job?.state, 'done')
  t.is(read.files, 203)
})

test('changed files are indexed while a session works in the project (code-index.md 4)', async t => {
  const daemon = await startDaemon(t)
  const { call } = daemon
  await enableCode(daemon)
  const { root, put } = codeProject(t)
  await startSession(daemon, { sessionKey: 's1', cwd: root, project: root })
  await indexProject(daemon, root)
  const query = { project: root, query: 'weighAnchor' }
  await until(async () => {
    const { body } = await call('GET /api/code/status', { query: { project: root } })
    return body.watching && !['waiting', 'running'].includes(body.job?.state ?? '')
  }, lookAgainMs)
  const isFound = async () =>
    (await call('GET /api/code/search', { query })).body.results.length > 0 || undefined
  let writtenCount = 0
  await t.notThrowsAsync(
    until(() => {
      // A watcher started in between misses the first write, and a file written constantly is never read.
      put('src/anchor.ts', `export function weighAnchor(): number { return ${writtenCount++} }\n`)
      return until(isFound, 4000).catch(() => undefined)
    }, lookAgainMs),
  )
})

test('memories are linked to the code they name, and report when it changed (code-index.md 11)', async t => {
  const daemon = await startDaemon(t)
  const { call } = daemon
  await enableCode(daemon)
  const { root, put, remove } = codeProject(t)
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['commit', '-qm', 'cranes'],
  ])
    gitIn(root, ...args)
  const commit = gitIn(root, 'rev-parse', 'HEAD').slice(0, 24)
  const save = async (content: string) =>
    (await call('POST /api/memory/remember', { body: { content, project: root } })).body.id
  const store = await save('Cranes are opened by openStore in src/store.ts, never by hand.')
  const lifting = await save('The lifting of containers begins in src/crane.ts and nowhere else.')
  const decided = await save(`Tides were left out of the calendar in ${commit}, not in 0123456789abcdef.`)
  await save('Nothing here names code.')
  await indexProject(daemon, root)
  const tiesOf = async (query: string, id: string) => {
    const { results } = (await call('POST /api/memory/recall', { body: { query, project: root } })).body
    return results.find(row => row.id === id)?.code?.map(({ target, state }) => `${target} ${state}`)
  }
  const settled = async (query: string, id: string, wanted: readonly string[]) => {
    await t.notThrowsAsync(
      until(async () => ((await tiesOf(query, id))?.join() === wanted.join() ? true : undefined)),
    )
  }
  await settled('cranes opened', store, ['src/store.ts here', 'openStore here'])
  await settled('tides calendar', decided, [`${commit} here`])
  gitIn(root, 'commit', '-q', '--amend', '-m', 'cranes, and no tides')
  put('src/store.ts', 'export function openStore(): void {}\n')
  remove('src/crane.ts')
  await indexProject(daemon, root)
  await settled('cranes opened', store, ['src/store.ts changed', 'openStore changed'])
  await settled('lifting of containers', lifting, ['src/crane.ts gone'])
  // The commit object still exists, but on no branch.
  await settled('tides calendar', decided, [`${commit} gone`])
  const recalled = await call('POST /api/memory/recall', {
    body: { query: 'lifting of containers', project: root, explain: true },
  })
  t.regex(recalled.body.message, /src\/crane\.ts gone since/u)
  t.true(
    recalled.body.results[0]?.explain?.contributions.some(
      ({ step, value }) => step === 'ground' && value === 0.9,
    ),
  )
  const moved = await call('GET /api/code/moved')
  t.deepEqual(moved.body.memories.map(({ id }) => id).toSorted(), [store, lifting, decided].toSorted())
  await call('PATCH /api/plugins/:id', { params: { id: 'service.codeindex' }, body: { enabled: false } })
  t.is(await tiesOf('cranes opened', store), undefined, 'a disabled plugin shows nothing about code')
})

test('a session reported by a remote client opens no folder of this machine (code-index.md 2)', async t => {
  const team = await startTeam(t, { settings: { daemon: { host: '0.0.0.0' } } })
  const outside = fromOutside(team.url)
  if (!outside) return t.log('this machine has no network address')
  const admin: Pick<TestDaemon, 'call'> = {
    call: (address, request = {}) => team.call(address, { ...request, headers: team.admin }),
  }
  await enableCode(admin)
  const { root } = codeProject(t)
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json', ...team.token({ role: 'agent' }) }
    const reply = await fetch(outside + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
  }
  const start = { harness: 'claude-code', sessionKey: 'far', cwd: root, project: root }
  t.is((await ask('POST', '/api/hooks/session-start', start)).status, 200)
  t.like((await ask('POST', '/api/code/index', { project: root })).body, { code: 'forbidden_project' })
  t.like((await ask('GET', '/api/code/search?query=openStore')).body, { code: 'validation_failed' })
  await indexProject(admin, root)
  // The team can read a project that an admin on this machine opened.
  t.is((await ask('GET', `/api/code/status?project=${encodeURIComponent(root)}`)).status, 200)
})

test('in a team, reading needs recall, changing needs modify, and folders need a caller on this machine (code-index.md 2)', async t => {
  const team = await startTeam(t)
  const as = (headers: { authorization: string }) => ({
    call: ((address, request = {}) => team.call(address, { ...request, headers })) as typeof team.call,
  })
  const admin = as(team.admin)
  const reader = as(team.token({ role: 'readonly' }))
  const confined = as(team.token({ role: 'agent', scope: { project: '/elsewhere' } }))
  await enableCode(admin)
  const { root } = codeProject(t)
  t.is((await reader.call('POST /api/code/index', { body: { project: root, named: true } })).status, 403)
  await indexProject(admin, root)
  const search = { query: { project: root, query: 'x' } }
  t.is((await reader.call('GET /api/code/search', search)).status, 200)
  t.is((await reader.call('POST /api/code/clear', { body: { project: root, confirm: true } })).status, 403)
  t.like((await confined.call('GET /api/code/search', search)).body, { code: 'scope_violation' })
})
