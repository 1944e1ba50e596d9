import test, { type ExecutionContext } from 'ava'
import { stateText } from '../../../../src/cli/operations/status.js'
import { colorsFor } from '../../../../src/cli/terminal/output.js'
import { openPostgres } from '../../../../src/store/postgres/database.js'
import type { Store } from '../../../../src/store/store.js'
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.js'
import { until } from '../../../helpers/daemon-process.js'
import { ownDatabase } from '../../../helpers/postgres.js'
import { startProxy } from '../../../helpers/tcp-proxy.js'
import { noLimits, startTeam } from '../../../helpers/team.js'

const at = '2026-01-01T00:00:00.000Z'
const later = '2026-01-01T01:00:00.000Z'

async function nodeOn(t: ExecutionContext, url: string, node: string): Promise<Store> {
  const store = await openPostgres({ url, schema: 'memory', shared: true, node }, new Date(at))
  t.teardown(() => store.close())
  await store.tables.nodes.beat(beatOf(node))
  return store
}

const beatOf = (name: string, seen_at = at) => ({
  ...{ name, version: '1', url: '', started_at: at, seen_at, applied: 0, stopping_since: null },
})

async function twoNodes(t: ExecutionContext): Promise<[a: Store, b: Store]> {
  const url = await ownDatabase(t)
  return [await nodeOn(t, url, 'a'), await nodeOn(t, url, 'b')]
}

const jobOf = (id: string) => ({ id, kind: 'test', subject: id, maxAttempts: 3, payload: '{}' })
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

test('two daemons that lease at once get different jobs', async t => {
  const [a, b] = await twoNodes(t)
  for (let n = 10; n < 40; n++) await a.tables.jobs.enqueue(jobOf(`j${n}`), at)
  const leased = await Promise.all(
    [a, b, a, b, a, b].map(store =>
      store.write({ until: 'executed' }, ({ jobs }) => jobs.lease('test', 5, at)),
    ),
  )
  const ids = leased.flat().map(({ id }) => id)
  t.is(ids.length, 30)
  t.is(new Set(ids).size, 30)
})

test('a start ends the leases of its own node and of nodes that are gone, and of no other', async t => {
  const [a, b] = await twoNodes(t)
  await a.tables.jobs.enqueue(jobOf('1'), at)
  t.deepEqual(idsOf(await a.tables.jobs.lease('test', 5, at)), ['1'])
  await b.tables.jobs.releaseAtStart(at)
  t.is(await b.tables.jobs.releaseLost(at), 0)
  t.deepEqual(await b.tables.jobs.lease('test', 5, later), [])
  await b.tables.nodes.remove({ id: 'a', seen_at: at })
  t.is(await b.tables.jobs.releaseLost(at), 1)
  t.deepEqual(idsOf(await b.tables.jobs.lease('test', 5, later)), ['1'])
  await a.tables.jobs.complete(['1'], later)
  t.deepEqual(await b.tables.jobs.leasesByNode(), [{ node: 'b', jobs: 1 }], 'the first one has lost it')
  await b.tables.jobs.releaseAtStart(later)
  t.deepEqual(idsOf(await a.tables.jobs.lease('test', 5, later)), ['1'])
})

test('a node that beats again is not removed by one that saw it before', async t => {
  const [a, b] = await twoNodes(t)
  await a.tables.nodes.beat(beatOf('a', later))
  await b.tables.nodes.remove({ id: 'a', seen_at: at })
  t.deepEqual(idsOf(await b.tables.nodes.all()), ['a', 'b'])
})

test('a job that needs files of its daemon is done by that one alone, or fails', async t => {
  const [a, b] = await twoNodes(t)
  await a.tables.jobs.enqueue({ ...jobOf('1'), isLocal: true }, at)
  t.deepEqual(await b.tables.jobs.lease('test', 5, later), [])
  t.deepEqual(await b.tables.jobs.dueKinds(later), [])
  t.deepEqual(await a.tables.jobs.dueKinds(later), ['test'])
  t.deepEqual(await b.tables.jobs.awaitedNodes(), [])
  await a.tables.nodes.leave()
  t.deepEqual(await b.tables.jobs.awaitedNodes(), ['a'])
  await b.tables.jobs.giveUpOf('a', 'gone', later)
  t.deepEqual(await a.tables.jobs.lease('test', 5, later), [])
  t.deepEqual(await b.tables.jobs.awaitedNodes(), [])
})

test('of syncs of connectors those end whose daemon is gone, and another daemon may begin them', async t => {
  const [a, b] = await twoNodes(t)
  for (const [id, store] of [
    ['1', a],
    ['2', b],
  ] as const) {
    const dates = { last_sync_at: null, last_error: null, created_at: at, updated_at: at }
    const texts = { provider: 'filesystem', display_name: id, config_json: '{}', cursor_json: '{}' }
    await a.tables.connectors.insert({ id, status: 'syncing', ...texts, ...dates })
    t.true(await store.tables.nodes.hasDuty(`connector:${id}`, at))
  }
  const ended = async () =>
    (await b.tables.connectors.list()).filter(({ status }) => status === 'error').map(({ id }) => id)
  await b.tables.connectors.endLeft([], 'lost', at)
  t.deepEqual(await ended(), [])
  t.false(await b.tables.nodes.hasDuty('connector:1', at))
  t.like(await b.tables.nodes.otherHolder('connector:1'), { name: 'a' })
  await b.tables.nodes.remove({ id: 'a', seen_at: at })
  await b.tables.nodes.dropLost()
  await b.tables.connectors.endLeft([], 'lost', at)
  t.deepEqual(await ended(), ['1'])
  t.is(await b.tables.nodes.otherHolder('connector:1'), undefined)
  t.true(await b.tables.nodes.hasDuty('connector:1', at))
})

test('one daemon has a duty, until it leaves or is gone, or another one is named', async t => {
  const [a, b] = await twoNodes(t)
  const has = (store: Store, only?: string) => store.tables.nodes.hasDuty('retention', at, only)
  const both = await Promise.all([has(a), has(b)])
  t.is(both.filter(Boolean).length, 1)
  const [holder, other] = both[0] ? [a, b] : [b, a]
  t.deepEqual([await has(holder), await has(other)], [true, false])
  const { own } = other.tables.nodes
  t.deepEqual([await has(holder, own!), await has(other, own!), await has(holder)], [false, true, false])
  await other.tables.nodes.leave()
  t.deepEqual([await has(other), await has(holder)], [false, true])
  t.deepEqual(
    (await a.tables.nodes.duties()).map(({ name, node }) => [name, node]),
    [['retention', holder.tables.nodes.own]],
  )
})

/** Starts one of several daemons, whose heart beats five times a second. */
function startNode(t: ExecutionContext, postgres: string, name: string): Promise<TestDaemon> {
  return startDaemon(t, {
    settings: { storage: { postgres, shared: true } },
    environment: { SERVICE_NODE_NAME: name, SERVICE_HEARTBEAT_MS: '200' },
  })
}

test('a job of a daemon that is gone is done by another one', async t => {
  const url = await ownDatabase(t)
  const proxy = await startProxy(t, url)
  const a = await startNode(t, proxy.url, 'a')
  const b = await startNode(t, url, 'b')
  const { jobs, nodes } = b.daemon.store.tables
  t.deepEqual(
    (await nodes.all()).map(({ name }) => name),
    ['a', 'b'],
  )
  const now = () => b.daemon.clock().toISOString()
  // At once, since the other one looks for work five times a second.
  const leased = await a.daemon.store.transaction(async tables => {
    await tables.jobs.enqueue({ ...jobOf('1'), kind: 'document_ingest' }, now())
    return tables.jobs.lease('document_ingest', 1, now())
  })
  t.is(leased.length, 1)
  proxy.cut()
  await until(async () => (await jobs.openJob('document_ingest', '1')) === undefined, 120_000)
  t.deepEqual(
    (await nodes.all()).map(({ name }) => name),
    ['b'],
  )
  proxy.mend()
  await until(async () => (await nodes.all()).length === 2, 120_000)
  await nodes.hasDuty('retention', now())
  const { body: status } = await b.call('GET /api/status')
  t.deepEqual(
    status.nodes?.map(({ name, version, jobs }) => ({ name, version, jobs })),
    ['a', 'b'].map(name => ({ name, version: '0.0.0-test', jobs: 0 })),
  )
  t.true(status.nodes?.some(({ duties }) => duties.includes('retention')))
  for (const name of ['a', 'b'])
    t.regex(stateText(status, colorsFor({})), new RegExp(`^node +${name}, 0\\.0\\.0-test, http`, 'mu'))
  await a.stop()
  t.deepEqual(
    (await nodes.all()).map(({ name }) => name),
    ['b'],
    'a clean stop removes the row at once',
  )
})

const teamKey = 'a key that every daemon of the team gets'

test('a confirm token and a token of one daemon are good at another', async t => {
  const postgres = await ownDatabase(t)
  const settings = { storage: { postgres, shared: true }, auth: { mode: 'hybrid' } }
  const [a, b] = await Promise.all([
    startDaemon(t, { settings, teamKey }),
    startDaemon(t, { settings, teamKey }),
  ])
  t.deepEqual(a.daemon.auth.secret(), b.daemon.auth.secret())
  const saved = [
    await a.remember('the deploy runs on Tuesdays'),
    await a.remember('the deploy needs two people'),
  ]
  const request = { ids: saved, reason: 'outdated' }
  const preview = await a.call('POST /api/memory/forget', { body: { ...request, mode: 'preview' } })
  const body = {
    ...request,
    mode: 'execute',
    confirm_token: (preview.body as { confirmToken: string }).confirmToken,
  }
  const done = await b.call('POST /api/memory/forget', { body: body as never })
  t.is(done.status, 200, JSON.stringify(done.body))
})

test('a stopping daemon is not ready, and serves on for the time that a balancer needs', async t => {
  const daemon = await startDaemon(t, { environment: { SERVICE_DRAIN_MS: '1500' } })
  t.is((await daemon.call('GET /health/ready')).status, 200)
  const stopped = daemon.stop()
  t.is((await daemon.call('GET /health/ready')).status, 503)
  t.truthy(await daemon.remember('saved while it stops'))
  await stopped
  await t.throwsAsync(daemon.call('GET /health/ready'))
})

test('daemons divide the rate limits among those that live', async t => {
  const postgres = await ownDatabase(t)
  const auth = { mode: 'team', rateLimits: { ...noLimits, modify: { windowMs: 60_000, max: 9 } } }
  const settings = { storage: { postgres, shared: true }, auth }
  const environment = { SERVICE_HEARTBEAT_MS: '200' }
  const a = await startTeam(t, { settings, teamKey, environment })
  const accepted = async (at: TestDaemon, sub: string): Promise<number> => {
    const headers = a.token({ role: 'agent', sub })
    const change = { params: { id: 'none' }, body: { pinned: true, reason: 'x' }, headers }
    let count = 0
    while ((await at.call('PATCH /api/memory/:id', change)).status === 404) count++
    return count
  }
  t.is(await accepted(a, 'alone'), 9)
  const b = await startTeam(t, { settings, teamKey, environment })
  t.is(await accepted(b, 'one'), 5)
  let number = 0
  await until(async () => (await accepted(a, `two${number++}`)) === 5 || undefined)
  await b.stop()
  await until(async () => (await accepted(a, `three${number++}`)) === 9 || undefined)
  t.pass()
})
