import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { openPostgres } from '../../../../src/store/postgres/database.js'
import type { Store, WriteOptions } from '../../../../src/store/store.js'
import { until } from '../../../helpers/daemon-process.js'
import { askServer, ownDatabase } from '../../../helpers/postgres.js'
import { startProxy } from '../../../helpers/tcp-proxy.js'

const at = '2026-01-01T00:00:00.000Z'
const now = new Date(at)
const writes: readonly WriteOptions[] = [{ until: 'synced' }, { until: 'committed' }]
const mark = 'UPDATE last_commit'

/** A store behind a proxy; `foreign` is filled once it has to start again. */
async function behindProxy(t: ExecutionContext) {
  const url = await ownDatabase(t)
  const proxy = await startProxy(t, url)
  const foreign: string[] = []
  const store = await openPostgres({ url: proxy.url, schema: 'memory' }, now, undefined, why =>
    foreign.push(why),
  )
  t.teardown(() => store.close())
  return { url, proxy, store, foreign }
}

const register = (store: Store, id: string, options: WriteOptions = { until: 'synced' }): Promise<unknown> =>
  store.write(options, ({ agents }) => agents.register(id, at))

async function agentsIn(url: string): Promise<unknown[]> {
  return (await askServer(url, 'SELECT id FROM memory.agents ORDER BY id')).map(({ id }) => id)
}

/** Ends the connections of a store on the server. */
const endConnections = (url: string): Promise<unknown> =>
  askServer(
    url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
  )

for (const options of writes) {
  test(`a commit whose answer was lost is found out: ${options.until}`, async t => {
    const { url, proxy, store } = await behindProxy(t)
    await register(store, 'first', options)
    proxy.cutAfter(mark)
    await register(store, 'second', options)
    proxy.mend()
    await register(store, 'third', options)
    t.deepEqual(await agentsIn(url), ['first', 'second', 'third'])
  })

  test(`a commit that never arrived is an error, and nothing is there: ${options.until}`, async t => {
    const { url, proxy, store, foreign } = await behindProxy(t)
    proxy.cutBefore(mark)
    const error = await t.throwsAsync(register(store, 'first', options), { code: 'storage_unavailable' })
    t.regex(error.message, /nothing was changed/)
    proxy.mend()
    await register(store, 'second', options)
    t.deepEqual([await agentsIn(url), foreign], [['second'], []])
  })
}

test('a commit that nobody can find out ends the process that made it', async t => {
  const { url, proxy, store, foreign } = await behindProxy(t)
  await register(store, 'first')
  proxy.cutAfter(mark, 'lasts')
  const writing = register(store, 'second')
  const error = await t.throwsAsync(writing, { code: 'storage_unavailable' })
  t.regex(error.message, /nobody knows yet whether the change is there: look before you repeat it/)
  t.deepEqual(foreign, [])
  await until(async () => (await agentsIn(url)).includes('second'))
  proxy.mend()
  await t.throwsAsync(register(store, 'third'), { message: /changed while this daemon was cut off/ })
  t.is(foreign.length, 1)
  t.deepEqual(await agentsIn(url), ['first', 'second'])
})

test('works that shared a lost transaction are each told once, and none is done twice', async t => {
  const { url, proxy, store } = await behindProxy(t)
  const change = () => store.write({ until: 'synced', shared: true }, ({ meta }) => meta.nextChange())
  t.deepEqual(await Promise.all([change(), change(), change()]), [1, 2, 3])
  proxy.cutAfter(mark)
  t.deepEqual(await Promise.all([change(), change(), change()]), [4, 5, 6])
  proxy.cut()
  const outcomes = await Promise.allSettled([change(), change(), change()])
  t.true(outcomes.every(({ status }) => status === 'rejected'))
  proxy.mend()
  t.is(await change(), 7)
  t.deepEqual(await askServer(url, "SELECT value FROM memory.meta WHERE key = 'change'"), [{ value: '7' }])
})

test('connections that ended while idle are replaced before the next read and write', async t => {
  const { url, store, proxy } = await behindProxy(t)
  await register(store, 'first')
  t.is((await store.tables.agents.find('first'))?.id, 'first')
  await endConnections(url)
  t.is((await store.tables.agents.find('first'))?.id, 'first')
  await register(store, 'second')
  proxy.drop()
  await register(store, 'third')
  await register(store, 'fourth', { until: 'committed' })
  t.deepEqual(await agentsIn(url), ['first', 'fourth', 'second', 'third'])
})

test('a first read goes to the server with the beginning of its transaction, a change after it', async t => {
  const { url, store, proxy } = await behindProxy(t)
  const look = (): Promise<unknown> =>
    store.write({ until: 'synced' }, async ({ agents }) => (await agents.find('first'))?.id)
  await register(store, 'first')
  proxy.trips()
  t.is(await look(), 'first')
  t.is(proxy.trips(), 2)
  await register(store, 'second')
  t.is(proxy.trips(), 3)
  await endConnections(url)
  t.is(await look(), 'first')
  proxy.drop()
  t.is(await look(), 'first')
  proxy.stop()
  await t.throwsAsync(look(), { code: 'storage_unavailable' })
  proxy.forget()
  t.is(await look(), 'first')
  t.deepEqual(await agentsIn(url), ['first', 'second'])
})

test('a server that hangs keeps no lock: the connection of before ends on it', async t => {
  const { url, proxy, store } = await behindProxy(t)
  await register(store, 'first')
  // The server hears nothing of the end of these connections.
  proxy.stop()
  const error = await t.throwsAsync(register(store, 'second'), { code: 'storage_unavailable' })
  t.regex(error.message, /does not answer/)
  proxy.forget()
  await register(store, 'third')
  t.deepEqual(await agentsIn(url), ['first', 'third'])
})

test('a daemon that lost its schema writes nothing until the other one is gone, and then ends', async t => {
  const { url, proxy, store, foreign } = await behindProxy(t)
  await register(store, 'first')
  await register(store, 'second', { until: 'committed' })
  proxy.cut()
  const other = await until(() => openPostgres({ url, schema: 'memory' }, now).catch(() => undefined))
  proxy.mend()
  const writing = [...writes, { until: 'executed' } as const].map(options => register(store, 'lost', options))
  for (const one of writing)
    await t.throwsAsync(one, {
      code: 'storage_unavailable',
      message: /another daemon .* serves schema memory/,
    })
  t.deepEqual(foreign, [])
  await register(other, 'theirs')
  await other.close()
  await t.throwsAsync(register(store, 'lost'), { message: /changed while this daemon was cut off/ })
  t.is(foreign.length, 1)
  t.deepEqual(await agentsIn(url), ['first', 'second', 'theirs'])
})

test('one of the two writing connections alone keeps another daemon away', async t => {
  const { url, store } = await behindProxy(t)
  await register(store, 'first', { until: 'committed' })
  const [firm] = await askServer(
    url,
    `SELECT pid FROM pg_stat_activity WHERE query LIKE '%last_commit%'
    AND application_name LIKE 'memory-service%' AND datname = current_database() ORDER BY backend_start LIMIT 1`,
  )
  await askServer(url, `SELECT pg_terminate_backend(${firm?.pid}, 2000)`)
  await t.throwsAsync(openPostgres({ url, schema: 'memory' }, now), { message: /another daemon/ })
  await register(store, 'second', { until: 'committed' })
  t.deepEqual(await agentsIn(url), ['first', 'second'])
})

test('a work that lost a deadlock runs again, and its changes are there once', async t => {
  const { url, store } = await behindProxy(t)
  await register(store, 'a')
  await register(store, 'b')
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  t.teardown(() => admin.end())
  const touch = (id: string): string => `UPDATE memory.agents SET updated_at = updated_at WHERE id = '${id}'`
  await admin.query(`SET deadlock_timeout TO '10s'; BEGIN; ${touch('b')}`)
  const waiting: Promise<unknown>[] = []
  const policy = { read_policy: 'isolated', policy_group: null } as const
  const change = await store.write({ until: 'synced' }, async ({ meta, agents }) => {
    const next = await meta.nextChange()
    await agents.setPolicy('a', policy, at)
    if (waiting.length === 0) {
      waiting.push(admin.query(`${touch('a')}; COMMIT`))
      await delay(100)
    }
    await agents.setPolicy('b', policy, at)
    return next
  })
  t.is(change, 1)
  await Promise.all(waiting)
  t.is((await store.tables.agents.find('b'))?.read_policy, 'isolated')
})
