import { readFileSync, writeFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { parse } from 'yaml'
import type { Settings } from '../../../../src/contract/settings.js'
import { withSettings } from '../../../../src/lib/workspace/settings-file.js'
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.js'
import { until } from '../../../helpers/daemon-process.js'
import { askServer, ownDatabase } from '../../../helpers/postgres.js'
import { soonMs } from '../../../helpers/team-load.js'

const frozen = 'memory.pipelineV2.mutationsFrozen'

/** Daemons with the given lines in their files, started one after the other. */
async function team(t: ExecutionContext, files: readonly string[]) {
  const url = await ownDatabase(t)
  const all: TestDaemon[] = []
  for (const text of files) all.push(await join(t, url, text))
  return { url, all }
}

function join(t: ExecutionContext, url: string, text = '', workspace?: string): Promise<TestDaemon> {
  const storage = `storage: { postgres: '${url}', shared: true }\n`
  return startDaemon(t, {
    text: `${storage}embedding: { provider: none }\n${text}`,
    ...(workspace && { workspace }),
  })
}

/** Starts a stopped daemon again, with its file as it is then. */
async function restart(t: ExecutionContext, daemon: TestDaemon, meanwhile = () => {}): Promise<TestDaemon> {
  await daemon.stop()
  meanwhile()
  return startDaemon(t, { text: fileOf(daemon), workspace: daemon.paths.root })
}

/** Sets values as the page does. */
async function set({ call }: TestDaemon, values: Record<string, string>): Promise<number> {
  const { text, version } = (await call('GET /api/settings')).body
  return (await call('POST /api/settings', { body: { text, version, values } })).status
}

async function inForce({ call }: TestDaemon): Promise<Settings> {
  return parse((await call('GET /api/settings')).body.inForce)
}

/** A save is refused with `mutations_frozen`, or done. */
async function isFrozen(t: ExecutionContext, { call }: TestDaemon): Promise<boolean> {
  const content = `Notes of the harbour office ${Math.random()}`
  const { status, body } = await call('POST /api/memory/remember', { body: { content } })
  if (status === 503) t.is(body.code, 'mutations_frozen')
  return status === 503
}

/** Daemons soon have what one of them was given. */
async function soon(
  t: ExecutionContext,
  all: readonly TestDaemon[],
  has: (one: TestDaemon) => Promise<boolean>,
) {
  const begin = performance.now()
  await Promise.all(all.map(one => until(() => has(one))))
  const ms = performance.now() - begin
  t.log(`${Math.round(ms)} ms`)
  t.true(ms < soonMs())
}

const problemsOf = async ({ call }: TestDaemon): Promise<string[]> =>
  (await call('GET /api/status')).body.settingsProblems
const fileOf = ({ paths }: TestDaemon): string => readFileSync(paths.settings, 'utf8')
const edit = (daemon: TestDaemon, change: (text: string) => string): void =>
  writeFileSync(daemon.paths.settings, change(fileOf(daemon)))
const withValue = (key: string, value: unknown) => (text: string) => withSettings('', text, { [key]: value })

test('a kill switch that one daemon gets holds at all of them, by the page and by an edited file', async t => {
  const { url, all } = await team(t, ['', '', ''])
  const [a, b, c] = all as [TestDaemon, TestDaemon, TestDaemon]
  t.is(await set(a, { [frozen]: 'true' }), 200)
  t.true(await isFrozen(t, a), 'at once where it was set')
  await soon(t, [b, c], one => isFrozen(t, one))
  edit(b, withValue(frozen, false))
  await soon(t, all, async one => !(await isFrozen(t, one)))
  edit(c, withValue(frozen, true))
  await soon(t, all, one => isFrozen(t, one))
  t.true(await isFrozen(t, await join(t, url)), 'from the first request of a daemon that starts later')
})

test('a pause of one daemon pauses all, and each file says it with its comments', async t => {
  const { all } = await team(t, ['# first\n', '# second\nrecall: # ours\n  claims: false # not yet\n'])
  const [a, b] = all as [TestDaemon, TestDaemon]
  t.is((await b.call('POST /api/pipeline/pause')).status, 200)
  await soon(t, [a], async one => (await inForce(one)).memory.pipelineV2.paused)
  t.is((await a.call('GET /api/pipeline/status')).body.mode, 'paused')
  await soon(t, all, async one => parse(fileOf(one)).memory?.pipelineV2.paused)
  t.regex(fileOf(a), /# first/)
  t.regex(fileOf(b), /# second[\s\S]*# ours/)
})

test('the first file makes the settings; a later one that differs is kept, and it is said once', async t => {
  const { all } = await team(t, [
    'recall: { claims: true }\nhooks: { userPromptSubmit: { minScore: 0.9 } }\ndaemon: { logLevel: debug }\n',
    '# mine\nrecall: { claims: false, cards: true }\ndaemon: { logLevel: warn }\n',
  ])
  const [a, b] = all as [TestDaemon, TestDaemon]
  t.deepEqual(await problemsOf(a), [])
  const [problem = '', ...others] = await problemsOf(b)
  t.deepEqual(others, [])
  t.regex(
    problem,
    /had other values for hooks\.userPromptSubmit\.minScore, recall\.cards, recall\.claims than/,
  )
  t.regex(readFileSync(b.paths.settingsFormer, 'utf8'), /cards: true/)
  const wanted = { recall: { claims: true, cards: false }, hooks: { userPromptSubmit: { minScore: 0.9 } } }
  t.like(await inForce(b), { ...wanted, daemon: { logLevel: 'warn' } })
  t.like(await inForce(a), { ...wanted, daemon: { logLevel: 'debug' } })
  t.regex(fileOf(b), /# mine/)
  t.deepEqual(parse(fileOf(b)).recall, { claims: true })
  const again = await restart(t, b)
  t.deepEqual(await problemsOf(again), [])
  t.like(await inForce(again), { ...wanted, daemon: { logLevel: 'warn' } })
})

test('daemons that change different settings at the same time lose none of them', async t => {
  const { all } = await team(t, ['', '', ''])
  const values: Record<string, string>[] = [
    { 'recall.claims': 'true', 'context.tokens': '900' },
    { 'recall.cards': 'true', 'hooks.sessionStart.recallLimit': '4' },
    { 'recall.traversal': 'true', 'capture.toolUse': 'full' },
  ]
  t.deepEqual(await Promise.all(all.map((one, at) => set(one, values[at] ?? {}))), [200, 200, 200])
  await soon(t, all, async one => {
    const { recall = {} } = parse(fileOf(one))
    return recall.claims && recall.cards && recall.traversal
  })
  for (const one of all)
    t.like(await inForce(one), {
      recall: { claims: true, cards: true, traversal: true },
      context: { tokens: 900 },
      hooks: { sessionStart: { recallLimit: 4 } },
      capture: { toolUse: 'full' },
    })
})

test('a bad value changes nothing at any daemon, and a faulty file still follows the others', async t => {
  const { url, all } = await team(t, ['recall: { claims: true }\n', 'recall: { claims: true }\n'])
  const [a, b] = all as [TestDaemon, TestDaemon]
  const before = await rowOf(url)
  t.is(await set(a, { 'recall.claims': 'perhaps' }), 400)
  edit(b, text => `${text}context: { tokens: many }\n`)
  await until(async () => (await problemsOf(b)).some(one => one.includes('context.tokens')))
  t.deepEqual(await rowOf(url), before)
  t.is(await set(a, { [frozen]: 'true' }), 200)
  await soon(t, [b], one => isFrozen(t, one))
  t.regex(fileOf(b), /many/)
  edit(b, text => text.replace('many', '700'))
  await soon(t, [a], async one => (await inForce(one)).context.tokens === 700)
  t.true(await isFrozen(t, b))
})

test('the first file brought again does not count, and an edit while the daemon is stopped does', async t => {
  const { all } = await team(t, ['', 'recall: { claims: false }\n'])
  const [a, b] = all as [TestDaemon, TestDaemon]
  const first = fileOf(b)
  t.is(await set(a, { [frozen]: 'true', 'recall.cards': 'true' }), 200)
  await soon(t, [b], async one => parse(fileOf(one)).recall.cards)
  const brought = await restart(t, b, () => edit(b, () => first))
  t.true(await isFrozen(t, brought))
  t.true(await isFrozen(t, a))
  const edited = await restart(t, brought, () => edit(b, withValue('recall.traversal', true)))
  t.like(await inForce(edited), { recall: { traversal: true, cards: true } })
  await soon(t, [a], async one => (await inForce(one)).recall.traversal)
})

test('values that this release does not know are left out, and stay for the others', async t => {
  const { url, all } = await team(t, ['recall: { claims: true }\n'])
  const [a] = all as [TestDaemon]
  const later = { recall: { claims: true, later: 1 }, mcp: { tools: 'of a later release' } }
  await askServer(
    url,
    `BEGIN;
    UPDATE memory.meta SET value = '${JSON.stringify(later)}' WHERE key = 'settings';
    UPDATE memory.meta SET value = (value::bigint + 1)::text WHERE key = 'change';
    UPDATE memory.meta SET value = (SELECT value FROM memory.meta WHERE key = 'change') WHERE key = 'settings_change';
    COMMIT`,
  )
  await until(async () => (await problemsOf(a)).some(one => one.includes('mcp.tools')))
  t.like(await inForce(a), { recall: { claims: true }, mcp: { tools: 'standard' } })
  t.is(await set(a, { 'recall.cards': 'true' }), 200)
  t.deepEqual(await rowOf(url), { ...later, recall: { ...later.recall, cards: true } })
})

async function rowOf(url: string): Promise<unknown> {
  const [row] = await askServer(url, "SELECT value FROM memory.meta WHERE key = 'settings'")
  return JSON.parse(row?.value as string)
}
