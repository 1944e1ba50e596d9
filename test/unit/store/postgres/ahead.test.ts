import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { openPostgres } from '../../../../src/store/postgres/database.js'
import { writerKeyOf } from '../../../../src/store/postgres/settings.js'
import type { AheadWork, SetWork, Store } from '../../../../src/store/store.js'
import type { NewHistoryRow } from '../../../../src/store/tables/memory/history.js'
import type { Tables } from '../../../../src/store/tables/tables.js'
import { until } from '../../../helpers/daemon-process.js'
import { askServer, memoryRow, ownDatabase } from '../../../helpers/postgres.js'
import { startProxy, type TcpProxy } from '../../../helpers/tcp-proxy.js'

const at = '2026-01-01T00:00:00.000Z'
const mark = 'UPDATE last_commit'

interface Opened {
  url: string
  proxy: TcpProxy
  store: Store
}

async function opened(t: ExecutionContext, shared: boolean): Promise<Opened> {
  const url = await ownDatabase(t)
  const proxy = await startProxy(t, url)
  const store = await openPostgres({ url: proxy.url, schema: 'memory', shared }, new Date(at))
  t.teardown(() => store.close())
  return { url, proxy, store }
}

const memory = { ...memoryRow, id: 'one', content_hash: 'one' }

const event = (id: string, change: number): NewHistoryRow => ({
  ...{ id, memory_id: 'one', event: 'none', reason: 'test', changed_by: 'x', actor_type: 'operator' },
  ...{ old_content: null, new_content: null, metadata: null, session_id: null, request_id: null },
  ...{ created_at: at, change },
})

/** Writes an event for each id. @returns the number of the first */
async function append(tables: Tables, ids: readonly string[]): Promise<number> {
  const first = await tables.meta.nextChanges(ids.length)
  await tables.history.append(ids.map((id, place) => event(id, first + place)))
  return first
}

/** Works of one kind, and how often each of its forms ran. */
function noteWorks() {
  const runs = { ahead: 0, plain: 0 }
  const plain: SetWork<string, number> = async (tables, ids) => {
    runs.plain++
    const first = await append(tables, ids)
    return ids.map((_, place) => first + place)
  }
  const ahead: AheadWork<string, number> = async (tables, ids) => {
    runs.ahead++
    const first = await append(tables, ids)
    return numberOf => ids.map((_, place) => numberOf(first + place))
  }
  const save = ({ store }: Opened, ids: readonly string[]): Promise<number[]> =>
    Promise.all(ids.map(id => store.together(plain, id, ahead)))
  return { runs, save }
}

const stored = ({ url }: Opened) =>
  askServer(url, 'SELECT id, change FROM memory.memory_history ORDER BY change')

const rows = (...ids: readonly string[]) => ids.map((id, place) => ({ id, change: String(place + 1) }))

for (const shared of [false, true]) {
  const kind = shared ? 'several daemons' : 'one daemon'

  test(`works that need no answers are one trip, and get the numbers that are stored: ${kind}`, async t => {
    const side = await opened(t, shared)
    const { runs, save } = noteWorks()
    t.deepEqual(await save(side, ['a']), [1])
    side.proxy.trips()
    t.deepEqual(await save(side, ['b', 'c', 'd']), [2, 3, 4])
    t.is(side.proxy.trips(), 1)
    t.deepEqual(await stored(side), rows('a', 'b', 'c', 'd'))
    t.deepEqual(runs, { ahead: 2, plain: 0 })
  })

  test(`works whose connection is lost before or after their commit are there once: ${kind}`, async t => {
    const side = await opened(t, shared)
    const { runs, save } = noteWorks()
    await save(side, ['a'])
    side.proxy.once(mark, side.proxy.stop)
    const committed = save(side, ['b', 'c'])
    await until(async () => (await stored(side)).length === 3)
    side.proxy.drop()
    side.proxy.forget()
    t.deepEqual(await committed, [2, 3])
    side.proxy.once(mark, side.proxy.drop)
    t.deepEqual(await save(side, ['d', 'e']), [4, 5])
    side.proxy.drop()
    t.deepEqual(await save(side, ['f']), [6])
    t.deepEqual(await stored(side), rows('a', 'b', 'c', 'd', 'e', 'f'))
    t.is(runs.plain, 0)
  })
}

test('a work that must not find a text fails ahead where it is stored, and is done with answers', async t => {
  const side = await opened(t, true)
  await side.store.transaction(tables => tables.memories.insert([memory]))
  const runs = { ahead: 0, plain: 0 }
  const plain: SetWork<string, string> = async (tables, hashes) => {
    runs.plain++
    const known = await tables.memories.storedHashes(hashes)
    return hashes.map(hash => (known.has(hash) ? 'known' : 'new'))
  }
  const ahead: AheadWork<string, string> = async (tables, hashes) => {
    runs.ahead++
    await append(tables, hashes)
    await tables.memories.refuseStored(hashes)
    return () => hashes.map(() => 'written')
  }
  const save = (hash: string) => side.store.together(plain, hash, ahead)
  t.is(await save(memory.content_hash), 'known')
  t.deepEqual(await stored(side), [])
  t.is(await save('another'), 'written')
  t.deepEqual(await stored(side), rows('another'))
  t.deepEqual(runs, { ahead: 2, plain: 1 })
})

test('a work sent ahead that does not get its turn in time changes nothing', async t => {
  const side = await opened(t, true)
  const { save } = noteWorks()
  await save(side, ['a'])
  const other = new pg.Client({ connectionString: side.url })
  await other.connect()
  t.teardown(() => other.end())
  await other.query(`BEGIN; SELECT pg_advisory_xact_lock(${writerKeyOf('memory')})`)
  await t.throwsAsync(save(side, ['b']), {
    code: 'storage_unavailable',
    message: /write without a pause; nothing was changed/,
  })
  await other.query('COMMIT')
  t.deepEqual(await save(side, ['c']), [2])
  t.deepEqual(await stored(side), rows('a', 'c'))
})
