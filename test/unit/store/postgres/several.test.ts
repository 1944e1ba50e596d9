import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { deferred } from '../../../../src/lib/concurrency/deferred.js'
import { StoreInUse } from '../../../../src/store/faults.js'
import { openPostgres } from '../../../../src/store/postgres/database.js'
import { writerKeyOf } from '../../../../src/store/postgres/settings.js'
import type { Store, WriteOptions } from '../../../../src/store/store.js'
import { until } from '../../../helpers/daemon-process.js'
import { askServer, ownDatabase } from '../../../helpers/postgres.js'
import { startProxy, type TcpProxy } from '../../../helpers/tcp-proxy.js'

const at = '2026-01-01T00:00:00.000Z'
const now = new Date(at)
const writes: readonly WriteOptions[] = [
  { until: 'synced' },
  { until: 'synced', shared: true },
  { until: 'committed' },
]
const mark = 'UPDATE last_commit'

interface Opened {
  store: Store
  proxy: TcpProxy
  /** Filled once it has to start again. */
  foreign: string[]
}

/** Stores of one schema that several daemons serve, each behind a proxy. */
async function several(t: ExecutionContext, count: number): Promise<{ url: string; stores: Opened[] }> {
  const url = await ownDatabase(t)
  const stores = await Promise.all(
    Array.from({ length: count }, async () => {
      const proxy = await startProxy(t, url)
      const foreign: string[] = []
      const to = { url: proxy.url, schema: 'memory', shared: true }
      const store = await openPostgres(to, now, undefined, why => foreign.push(why))
      t.teardown(() => store.close())
      return { store, proxy, foreign }
    }),
  )
  return { url, stores }
}

const register = (store: Store, id: string, options: WriteOptions = { until: 'synced' }): Promise<unknown> =>
  store.write(options, ({ agents }) => agents.register(id, at))

async function agentsIn(url: string): Promise<unknown[]> {
  return (await askServer(url, "SELECT id FROM memory.agents WHERE id <> 'default' ORDER BY id")).map(
    ({ id }) => id,
  )
}

/** Keeps the lock of those that write; returns what gives it back. */
async function keepLock(t: ExecutionContext, url: string): Promise<() => Promise<unknown>> {
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  t.teardown(() => other.end())
  await other.query(`BEGIN; SELECT pg_advisory_xact_lock(${writerKeyOf('memory')})`)
  return () => other.query('COMMIT')
}

test('several stores of a schema write in turn, and their changes have numbers without a gap', async t => {
  const { stores } = await several(t, 3)
  const changes = await Promise.all(
    Array.from({ length: 60 }, (_, place) =>
      (stores[place % 3] as Opened).store.write(
        writes[Math.floor(place / 3) % 3] as WriteOptions,
        ({ meta }) => meta.nextChange(),
      ),
    ),
  )
  t.deepEqual(
    changes.sort((a, b) => a - b),
    Array.from({ length: 60 }, (_, place) => place + 1),
  )
})

test('of several stores one alone is inside a transaction, so a look in it stays true', async t => {
  const { url, stores } = await several(t, 3)
  const once = ({ store }: Opened) =>
    store.transaction(async ({ agents }) => {
      if ((await agents.roster()).some(({ id }) => id.startsWith('one'))) return 0
      await delay(20)
      await agents.register(`one ${Math.random()}`, at)
      return 1
    })
  const counts = await Promise.all([...stores, ...stores].map(once))
  t.is(
    counts.reduce<number>((sum, count) => sum + count, 0),
    1,
  )
  t.is((await agentsIn(url)).length, 1)
})

test('a store that serves a schema alone and those that share it refuse each other', async t => {
  const { url, stores } = await several(t, 2)
  const alone = { url, schema: 'memory' }
  const message = /another daemon .* serves schema memory .*: one daemon at a time may, unless all have/
  await t.throwsAsync(openPostgres(alone, now), { instanceOf: StoreInUse, message })
  for (const { store } of stores) await store.close()
  const only = await openPostgres(alone, now)
  await t.throwsAsync(openPostgres({ ...alone, shared: true }, now), { instanceOf: StoreInUse, message })
  await register(only, 'first')
  await only.close()
  const again = await openPostgres({ ...alone, shared: true }, now)
  await register(again, 'second')
  await again.close()
  t.deepEqual(await agentsIn(url), ['first', 'second'])
})

for (const options of writes) {
  const kind = JSON.stringify(options)

  test(`a write whose connection is lost before or after its commit is there once: ${kind}`, async t => {
    const { url, stores } = await several(t, 2)
    const [{ store, proxy, foreign }, other] = stores as [Opened, Opened]
    await register(store, 'a', options)
    const change = (at: Store) => at.write(options, ({ meta }) => meta.nextChange())
    proxy.cutAfter(mark)
    const [first] = await Promise.all([change(store), change(other.store)])
    proxy.mend()
    proxy.cutBefore(mark)
    const second = change(store)
    await delay(50)
    proxy.mend()
    await second
    proxy.once('UPDATE meta', () => proxy.drop())
    const third = await change(store)
    t.true(first < (await second) && (await second) < third)
    t.deepEqual(await askServer(url, "SELECT value FROM memory.meta WHERE key = 'change'"), [{ value: '4' }])
    t.deepEqual([...foreign, ...other.foreign], [])
  })

  test(`other daemons that write too long make it 503, and the next write works: ${kind}`, async t => {
    const { url, stores } = await several(t, 1)
    const [{ store }] = stores as [Opened]
    const free = await keepLock(t, url)
    await t.throwsAsync(register(store, 'late', options), {
      code: 'storage_unavailable',
      message: /other daemons on this database write without a pause; nothing was changed/,
    })
    await free()
    await register(store, 'first', options)
    t.deepEqual(await agentsIn(url), ['first'])
  })
}

test('a single change takes its turn too, and counters do not wait for it', async t => {
  const { url, stores } = await several(t, 1)
  const [{ store }] = stores as [Opened]
  const free = await keepLock(t, url)
  await register(store, 'counted', { until: 'executed' })
  t.deepEqual(await agentsIn(url), ['counted'])
  const single = store.tables.agents.register('single', at)
  await delay(100)
  t.deepEqual(await agentsIn(url), ['counted'])
  await free()
  await single
  t.deepEqual(await agentsIn(url), ['counted', 'single'])
})

test('a store that was stopped inside a transaction keeps the others waiting for seconds only', async t => {
  const { url, stores } = await several(t, 2)
  const [{ store, proxy }, other] = stores as [Opened, Opened]
  const [isInside, stop] = [deferred<void>(), deferred<void>()]
  const stopped = store.transaction(async ({ agents }) => {
    await agents.register('stopped', at)
    proxy.stop()
    isInside.resolve()
    await stop.promise
  })
  await isInside.promise
  await t.throwsAsync(register(other.store, 'early'), { code: 'storage_unavailable' })
  await delay(2500)
  await register(other.store, 'second')
  proxy.forget()
  stop.resolve()
  await Promise.allSettled([stopped])
  t.deepEqual(
    (await agentsIn(url)).filter(id => id !== 'stopped'),
    ['second'],
  )
})

test('a daemon that vanished between the messages of a statement keeps the others waiting for seconds only', async t => {
  const { url, stores } = await several(t, 1)
  const [{ store }] = stores as [Opened]
  const vanished = new pg.Client({ connectionString: url })
  vanished.on('error', () => undefined)
  await vanished.connect()
  t.teardown(() => vanished.end().catch(() => undefined))
  const ended = deferred<void>()
  vanished.on('end', () => ended.resolve())
  await vanished.query("SET idle_in_transaction_session_timeout TO '1s'")
  await vanished.query(`BEGIN; SELECT pg_advisory_xact_lock(${writerKeyOf('memory')})`)
  const { connection } = vanished as unknown as { connection: { parse(query: { text: string }): void } }
  connection.parse({ text: 'SELECT 1' })
  await t.throwsAsync(register(store, 'early'), { code: 'storage_unavailable' })
  await until(() =>
    register(store, 'late').then(
      () => true,
      () => undefined,
    ),
  )
  await ended.promise
  t.deepEqual(await agentsIn(url), ['late'])
})

test('a daemon that was cut off goes on beside the others, whose changes do not end it', async t => {
  const { url, stores } = await several(t, 2)
  const [{ store, proxy, foreign }, other] = stores as [Opened, Opened]
  await register(store, 'a')
  proxy.cut()
  await register(other.store, 'b')
  await t.throwsAsync(register(store, 'lost'), { code: 'storage_unavailable' })
  proxy.mend()
  await register(store, 'c')
  t.deepEqual([await agentsIn(url), foreign], [['a', 'b', 'c'], []])
})

test('a daemon whose mark went back ends, since the server lost its changes', async t => {
  const { url, stores } = await several(t, 1)
  const [{ store, proxy, foreign }] = stores as [Opened]
  await register(store, 'a')
  const [before] = await askServer(url, 'SELECT mark FROM memory.last_commit')
  await register(store, 'b')
  await askServer(url, `UPDATE memory.last_commit SET mark = '${before?.mark}'`)
  proxy.drop()
  await t.throwsAsync(register(store, 'c'), { message: /the database server lost changes of this daemon/ })
  t.is(foreign.length, 1)
})
