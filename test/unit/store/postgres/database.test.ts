import { randomUUID } from 'node:crypto'
import test from 'ava'
import { isDuplicate, StoreInUse, StoreRefused } from '../../../../src/store/faults.js'
import { openPostgres } from '../../../../src/store/postgres/database.js'
import type { Store, WriteOptions } from '../../../../src/store/store.js'
import { until } from '../../../helpers/daemon-process.js'
import { askServer, memoryRow, openOnPostgres, ownDatabase } from '../../../helpers/postgres.js'
import { openTestStore } from '../../../helpers/store.js'

const at = '2026-01-01T00:00:00.000Z'
const now = new Date(at)

const undone: readonly WriteOptions[] = [
  { until: 'synced' },
  { until: 'synced', shared: true },
  { until: 'committed' },
]
for (const options of undone)
  test(`on a server a failed write leaves nothing: ${JSON.stringify(options)}`, async t => {
    const { store } = await openOnPostgres(t)
    await t.throwsAsync(
      store.write(options, async ({ agents }) => {
        await agents.register('first', at)
        throw new Error('the work failed')
      }),
      { message: 'the work failed' },
    )
    t.is(await store.tables.agents.find('first'), undefined)
    await store.write(options, ({ agents }) => agents.register('second', at))
    t.is((await store.tables.agents.find('second'))?.id, 'second')
  })

test('code that moved in one pass has one order on both stores, however it was written', async t => {
  const boundary = { agents: ['a'], globalOf: 'all' } as const
  const tie = { root: '/shop', path: 'src/a.ts', line: 1, hash: 'h', state: 'gone', moved_at: at } as const
  const ties = ['symbol', 'path'].flatMap(kind =>
    ['b', 'c', 'a'].map(target => ({ ...tie, memory_id: 'one', kind, target })),
  )
  const ordered = async ({ tables }: Store): Promise<string[]> => {
    await tables.memories.insert([{ ...memoryRow, id: 'one', content_hash: 'one' }])
    await tables.codeTies.replaceTies(tie.root, ['one'], ties)
    return (await tables.codeTies.movedTies(boundary, 10)).map(({ kind, target }) => `${kind} ${target}`)
  }
  const onFile = await ordered(openTestStore(t).store)
  t.is(onFile.length, ties.length)
  t.deepEqual(await ordered((await openOnPostgres(t)).store), onFile)
})

test('on a server an executed-only write keeps the statements before its failure', async t => {
  const { store } = await openOnPostgres(t)
  await t.throwsAsync(
    store.write({ until: 'executed' }, async ({ agents }) => {
      await agents.register('first', at)
      throw new Error('the work failed')
    }),
    { message: 'the work failed' },
  )
  t.is((await store.tables.agents.find('first'))?.id, 'first')
})

test('on a server a closed store refuses works instead of keeping them waiting, and closes again', async t => {
  const { store } = await openOnPostgres(t)
  await store.close()
  for (const options of undone)
    await t.throwsAsync(
      store.write(options, ({ agents }) => agents.register('first', at)),
      { message: 'the store is closed' },
    )
  await t.notThrowsAsync(store.close())
})

test('a store that closes answers the reads that wait for a connection, and refuses later ones', async t => {
  const { store } = await openOnPostgres(t)
  const look = () => store.server?.look()
  const waiting = Array.from({ length: 6 }, look)
  const closed = store.close()
  for (const looked of await Promise.all(waiting)) t.true(looked && looked.checks.length > 0)
  await closed
  await t.throwsAsync(async () => look())
})

test('on a server simultaneous works take their turns, and numbers of changes have no gap', async t => {
  const { store } = await openOnPostgres(t)
  const changes = await Promise.all(
    Array.from({ length: 30 }, (_, place) =>
      store.write({ until: 'synced', shared: place % 2 === 0 }, ({ meta }) => meta.nextChange()),
    ),
  )
  t.deepEqual(
    changes.sort((a, b) => a - b),
    Array.from({ length: 30 }, (_, place) => place + 1),
  )
  await t.notThrowsAsync(store.sync())
})

test('a transaction in which a statement failed is never reported as saved', async t => {
  const { store } = await openOnPostgres(t)
  const job = { id: 'a', name: 'a', prefix: 'p', hash: 'h', role: 'admin', created_at: at, created_by: 'x' }
  await t.throwsAsync(
    store.transaction(async ({ apiKeys, agents }) => {
      await agents.register('first', at)
      await apiKeys.insert(job as never)
      await apiKeys.insert({ ...job, id: 'b' } as never).catch(error => t.true(isDuplicate(error)))
    }),
  )
  t.is(await store.tables.agents.find('first'), undefined)
})

test('on a server a NUL of a text is left out as in SQLite', async t => {
  const { store } = await openOnPostgres(t)
  for (const id of ['one\0', '\0two']) await store.transaction(({ agents }) => agents.register(id, at))
  t.deepEqual(
    (await store.tables.agents.roster()).map(({ id }) => id).filter(id => id !== 'default'),
    ['one', 'two'],
  )
})

test('on a server a memory has as many tags as in a file, and a project too long for an index is refused', async t => {
  const { memories } = (await openOnPostgres(t)).store.tables
  // Texts that no compression makes shorter.
  const many = (count: number) => Array.from({ length: count }, (_, n) => randomUUID() + n).join()
  await memories.insert([{ ...memoryRow, id: 'a', content_hash: 'a', tags: many(200) }])
  await t.throwsAsync(memories.insert([{ ...memoryRow, id: 'b', content_hash: 'b', project: many(100) }]), {
    code: 'validation_failed',
    message: /too long for the database server, which indexes up to 2,600 bytes/,
  })
})

test('a second store of a schema is refused, and another schema of the database is not', async t => {
  const { store, url } = await openOnPostgres(t)
  const error = await t.throwsAsync(openPostgres({ url, schema: 'memory' }, now), { instanceOf: StoreInUse })
  t.regex(error.message, /another daemon .*serves schema memory of test_\w+ on 127\.0\.0\.1/)
  const other = await openPostgres({ url, schema: 'team_b' }, now)
  await other.transaction(({ agents }) => agents.register('theirs', at))
  t.is(await store.tables.agents.find('theirs'), undefined)
  await other.close()
})

test('a store connects again after the server ended its connections', async t => {
  const { store, url } = await openOnPostgres(t)
  await store.transaction(({ agents }) => agents.register('first', at))
  await askServer(
    url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
  )
  await until(() =>
    store
      .transaction(({ agents }) => agents.register('second', at))
      .then(
        () => true,
        error => {
          t.is((error as { code?: string }).code, 'storage_unavailable')
        },
      ),
  )
  t.is((await store.tables.agents.find('first'))?.id, 'first')
  t.is((await store.tables.agents.find('second'))?.id, 'second')
})

test('a server that is not there is storage_unavailable, a wrong database is refused', async t => {
  const gone = { url: 'postgres://memory@127.0.0.1:1/none', schema: 'memory' }
  const error = await t.throwsAsync(openPostgres(gone, now), { code: 'storage_unavailable' })
  t.regex(error.message, /does not answer \(connect ECONNREFUSED 127\.0\.0\.1:1\)/)
  const missing = new URL(await ownDatabase(t))
  missing.pathname = '/no_such_database'
  await t.throwsAsync(openPostgres({ url: missing.href, schema: 'memory' }, now), {
    instanceOf: StoreRefused,
    message: /database "no_such_database" does not exist/,
  })
})

test('a schema of a newer release is left alone', async t => {
  const url = await ownDatabase(t)
  await askServer(url, `INSERT INTO memory.migrations VALUES (999, 'later', '${at}')`)
  await t.throwsAsync(openPostgres({ url, schema: 'memory' }, now), {
    instanceOf: StoreRefused,
    message: /newer memory-service wrote it/,
  })
})

test('an empty database gets its schema, and a role sees nothing of another', async t => {
  const url = await ownDatabase(t, { empty: true })
  const store = await openPostgres({ url, schema: 'team_a' }, now)
  t.deepEqual(store.migrations.applied, store.migrations.known)
  await store.transaction(({ agents }) => agents.register('ours', at))
  await store.close()
  const database = new URL(url).pathname.slice(1)
  const role = `reader_${database.slice(-8)}`
  await askServer(url, `CREATE ROLE ${role} LOGIN; GRANT CREATE ON DATABASE ${database} TO ${role}`)
  t.teardown(() => askServer(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`))
  const theirs = new URL(url)
  theirs.username = role
  await t.throwsAsync(askServer(theirs.href, 'SELECT * FROM team_a.memories'), {
    message: /permission denied for schema team_a/,
  })
  await t.throwsAsync(openPostgres({ url: theirs.href, schema: 'team_a' }, now), {
    instanceOf: StoreRefused,
    message: /permission denied/,
  })
  const other = await openPostgres({ url: theirs.href, schema: 'team_b' }, now)
  t.is(await other.tables.agents.find('ours'), undefined)
  await other.close()
  const seen = `SELECT DISTINCT table_schema AS of FROM information_schema.tables WHERE table_schema ~ 'team'`
  t.deepEqual(await askServer(theirs.href, seen), [{ of: 'team_b' }])
})

test('on a server vectors are counted by model, also those of a schema from before the counts', async t => {
  const url = await ownDatabase(t)
  const store = await openPostgres({ url, schema: 'memory' }, now)
  const [one, other] = ['one', 'other'].map(model => ({ provider: 'p', model }))
  const of = (model: typeof one, ids: readonly string[]) =>
    ids.map(memoryId => ({ ...model!, memoryId, vector: Float32Array.of(1) }))
  const ids = ['a', 'b', 'c', 'd']
  await store.tables.memories.insert(
    ids.map((id, n) => ({ ...memoryRow, id, content_hash: id, change: n + 1 })),
  )
  const missing = (from = store) => Promise.all([one!, other!].map(from.tables.vectors.countMissing))
  t.deepEqual(await missing(), [4, 4])
  await store.tables.vectors.put(of(one, ['a', 'b', 'c']), at)
  t.deepEqual(await missing(), [1, 4])
  await store.tables.vectors.put(of(other, ['b', 'd']), at)
  await store.tables.vectors.remove('c')
  t.deepEqual(await missing(), [3, 2])
  await askServer(url, "DELETE FROM memory.memories WHERE id = 'd'")
  t.deepEqual(await missing(), [2, 2])
  await store.close()
  const later = ['state', 'memories', 'texts', 'purged', 'agents', 'outbox', 'segments'].map(
    of => `sync_${of}`,
  )
  const before = `SET search_path TO memory; DROP TABLE ${later.join()}, session_turns, session_files, nodes, node_duties;
    ALTER TABLE jobs DROP COLUMN node, DROP COLUMN leased_by;
    DELETE FROM migrations WHERE version >= (SELECT version FROM migrations WHERE name = 'vector-counts');
    DELETE FROM meta WHERE key LIKE 'vectors %'; DROP FUNCTION memory_vectors_added CASCADE;
    DROP FUNCTION memory_vectors_removed CASCADE; DROP FUNCTION memory_vectors_follow CASCADE;
    ALTER INDEX placed_vectors_rowid RENAME TO memory_vectors_rowid;
    CREATE INDEX memory_history_day ON memory_history (created_at);
    CREATE INDEX memories_id_end ON memories (right(id, 6));
    DROP INDEX memories_changed; CREATE INDEX memories_change ON memories (change);
    CREATE INDEX memory_vectors_model ON memory_vectors (provider, model, memory_id);
    DROP INDEX memories_told, memory_holders_told, memories_newest; CREATE INDEX memories_start ON memories (project);
    CREATE INDEX memories_overview ON memories (project); CREATE INDEX memory_holders_start ON memory_holders (project);
    CREATE INDEX memory_holders_overview ON memory_holders (project)`
  await askServer(url, before)
  const updated = await openPostgres({ url, schema: 'memory' }, now)
  t.teardown(() => updated.close())
  t.deepEqual(await missing(updated), [2, 2])
  await updated.tables.vectors.put(of(one, ['c']), at)
  t.deepEqual(await missing(updated), [1, 2])
})
