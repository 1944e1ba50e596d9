// runs: alone

import { appendFileSync, statSync, truncateSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { sweep } from '../../../src/daemon/operations/retention/sweep.js'
import type { MemoryRow } from '../../../src/store/tables/memory/memories.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { readText } from '../../helpers/read-documents.js'
import { openRaw, storeLike } from '../../helpers/store.js'
import { makeTask } from '../../helpers/tasks.js'

const dayMs = 86_400_000
const start = Date.parse('2026-01-01T00:00:00Z')
const model = { provider: 'test', model: 'test' }

/** Starts a daemon with a manual clock and a second database connection. */
async function startWithClock(t: ExecutionContext) {
  let now = start
  const daemon = await startDaemon(t, { clock: () => new Date(now) })
  const raw = openRaw(t, daemon.paths.database)
  return {
    ...daemon,
    raw,
    sweep: (options?: { batchLimit?: number }) => sweep(daemon.daemon, options),
    at: (ms: number) => {
      now = start + ms
    },
    cold: () =>
      raw.prepare('SELECT id, deleted_at, stored_at, record FROM cold_memories').all() as Record<
        'id' | 'deleted_at' | 'stored_at' | 'record',
        string
      >[],
    count: (table: string) => (raw.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n,
  }
}

const forget = ({ call }: Pick<TestDaemon, 'call'>, id: string) =>
  call('DELETE /api/memory/:id', { params: { id }, query: { reason: 'test' } })

const recover = async ({ call }: Pick<TestDaemon, 'call'>, id: string) => {
  const { status, body } = await call('POST /api/memory/:id/recover', {
    params: { id },
    body: { reason: 'test' },
  })
  return [status, body.status]
}

const embed = ({ daemon }: Pick<TestDaemon, 'daemon'>, memoryId: string) =>
  daemon.store.tables.vectors.put(
    [{ memoryId, ...model, vector: Float32Array.of(1, 0) }],
    daemon.clock().toISOString(),
  )

/** Inserts rows soft-deleted at a given time, bypassing the use case. */
const insertTombstones = (
  { daemon }: Pick<TestDaemon, 'daemon'>,
  like: string,
  count: number,
  fields: Partial<MemoryRow> = {},
) =>
  storeLike(
    daemon,
    like,
    Array.from({ length: count }, () => ({
      is_deleted: 1,
      deleted_at: new Date(start).toISOString(),
      ...fields,
    })),
  )

test('a memory deleted more than 30 days ago is removed permanently, with a full copy in cold storage (rules.md 1.4 and 3.1)', async t => {
  const daemon = await startWithClock(t)
  const id = await daemon.remember('the old pier', { structured: { hints: ['jetty'] }, tags: 'sea' })
  await embed(daemon, id)
  await forget(daemon, id)
  const [row] = await daemon.daemon.store.tables.memories.load([id])
  daemon.at(30 * dayMs + 1)
  t.deepEqual(await daemon.sweep(), {
    expired: 0,
    mentions: 0,
    entities: 0,
    embeddings: 1,
    tombstones: 1,
    history: 0,
    completedJobs: 0,
    deadJobs: 0,
    sessionEvents: 0,
    sessionTurns: 0,
    telemetryEvents: 0,
    recallRecords: 0,
    continuity: 0,
    skillUses: 0,
    taskRuns: 0,
    documents: 0,
  })
  t.deepEqual(await recover(daemon, id), [404, 'not_found'])
  t.is((await daemon.call('GET /api/memory/:id/history', { params: { id } })).status, 404)
  t.deepEqual(await daemon.recall('old pier'), [])
  t.deepEqual(['memories', 'memory_vectors', 'memory_hints'].map(daemon.count), [0, 0, 0])
  const [copy] = daemon.cold()
  t.like(copy, {
    id,
    deleted_at: '2026-01-01T00:00:00.000Z',
    stored_at: new Date(start + 30 * dayMs + 1).toISOString(),
  })
  t.deepEqual(JSON.parse(copy!.record), { ...row, hints: ['jetty'] })
})

test('task runs are deleted 30 days after their end (tasks.md#runs)', async t => {
  const daemon = await startWithClock(t)
  const { id: task_id } = await makeTask(daemon, { enabled: false })
  await daemon.daemon.store.transaction(async ({ taskRuns }) => {
    for (const [id, day] of [
      ['old', 0],
      ['newer', 1],
    ] as const) {
      const at = new Date(start + day * dayMs).toISOString()
      await taskRuns.addPending({ id, task_id, trigger_kind: 'manual', daemon: 'x', created_at: at })
      await taskRuns.lose(id, { status: 'failed', error: 'x', completed_at: at })
    }
  })
  daemon.at(30 * dayMs + 1)
  // The sweep at the start may have deleted it already.
  await daemon.sweep()
  const { runs } = (await daemon.call('GET /api/tasks/:id', { params: { id: task_id } })).body
  t.deepEqual(
    runs.map(({ id }) => id),
    ['newer'],
  )
})

test('holders of a purged memory are kept only in cold storage', async t => {
  const daemon = await startWithClock(t)
  const id = await daemon.remember('the old pier', { project: 'web' })
  await daemon.remember('the old pier', { project: 'api', agentId: 'codex' })
  await forget(daemon, id)
  daemon.at(30 * dayMs + 1)
  t.is((await daemon.sweep()).tombstones, 1)
  const [cold] = daemon.cold()
  t.like(JSON.parse(cold?.record ?? '').holders, [{ agent_id: 'codex', project: 'api', scope: null }])
  t.is(daemon.count('memory_holders'), 0)
})

test('a deleted document’s row is removed after 30 days, live ones stay (documents.md#removing)', async t => {
  const daemon = await startWithClock(t)
  const kept = await readText(daemon, 'The new pier is made of steel.')
  const id = await readText(daemon, 'The old pier is made of wood.')
  await daemon.call('DELETE /api/documents/:id', { params: { id }, query: { reason: 'test' } })
  daemon.at(30 * dayMs)
  t.like(await daemon.sweep(), { tombstones: 0, documents: 0 })
  t.is((await daemon.call('GET /api/documents/:id', { params: { id } })).body.status, 'deleted')
  daemon.at(30 * dayMs + 1)
  t.like(await daemon.sweep(), { tombstones: 1, documents: 1 })
  t.is((await daemon.call('GET /api/documents/:id', { params: { id } })).status, 404)
  t.is((await daemon.call('GET /api/documents/:id', { params: { id: kept } })).body.status, 'done')
})

test('a memory deleted at most 30 days ago is kept and can be recovered (rules.md 1.4 and 8)', async t => {
  const daemon = await startWithClock(t)
  const id = await daemon.remember('the young pier')
  await embed(daemon, id)
  await forget(daemon, id)
  daemon.at(30 * dayMs)
  t.like(await daemon.sweep(), { embeddings: 0, tombstones: 0 })
  t.deepEqual(await recover(daemon, id), [200, 'recovered'])
  daemon.at(90 * dayMs)
  t.like(await daemon.sweep(), { tombstones: 0 })
  t.deepEqual(await daemon.recall('young pier'), [id])
})

test('history events are kept 180 days, completed jobs 14, failed jobs 30 (rules.md 1.4)', async t => {
  const daemon = await startWithClock(t)
  const { jobs } = daemon.daemon.store.tables
  const now = new Date(start).toISOString()
  const id = await daemon.remember('still here')
  for (const [job, end] of [
    ['done', () => jobs.complete(['done'], now)],
    ['dead', () => jobs.fail(['dead'], 'no luck', now, now)],
  ] as const) {
    await jobs.enqueue({ id: job, kind: 'test', subject: id, payload: '{}', maxAttempts: 1 }, now)
    await jobs.lease('test', 1, now)
    await end()
  }
  await jobs.enqueue({ id: 'open', kind: 'test', subject: id, payload: '{}', maxAttempts: 1 }, now)
  const swept = async (days: number, ms: number) => {
    daemon.at(days * dayMs + ms)
    const { history, completedJobs, deadJobs } = await daemon.sweep()
    return { history, completedJobs, deadJobs }
  }
  t.deepEqual(await swept(14, 0), { history: 0, completedJobs: 0, deadJobs: 0 })
  t.deepEqual(await swept(14, 1), { history: 0, completedJobs: 1, deadJobs: 0 })
  t.deepEqual(await swept(30, 0), { history: 0, completedJobs: 0, deadJobs: 0 })
  t.deepEqual(await swept(30, 1), { history: 0, completedJobs: 0, deadJobs: 1 })
  t.deepEqual(await swept(180, 0), { history: 0, completedJobs: 0, deadJobs: 0 })
  t.deepEqual(await swept(180, 1), { history: 1, completedJobs: 0, deadJobs: 0 })
  t.is(daemon.count('jobs'), 1)
  t.deepEqual(await daemon.recall('still here'), [id])
})

test('telemetry events are kept 90 days, and their file is rotated at 5 MiB (rules.md 6)', async t => {
  const daemon = await startWithClock(t)
  const endSession = async () => {
    const body = { harness: 'codex', sessionKey: 's' }
    t.is((await daemon.call('POST /api/hooks/session-end', { body })).status, 200)
  }
  const { telemetryEvents: file } = daemon.paths
  const bytes = () => [file, `${file}.1`].map(path => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  await endSession()
  daemon.at(90 * dayMs)
  await endSession()
  t.is((await daemon.sweep()).telemetryEvents, 0)
  daemon.at(90 * dayMs + 1)
  t.is((await daemon.sweep()).telemetryEvents, 1)
  t.is(daemon.count('telemetry_events'), 1)
  const [small] = bytes()
  t.true(small! > 0)
  truncateSync(file, 5 * 1024 * 1024)
  await daemon.sweep()
  t.deepEqual(bytes(), [5 * 1024 * 1024, 0])
  appendFileSync(file, '\n')
  await daemon.sweep()
  t.deepEqual(bytes(), [0, 5 * 1024 * 1024 + 1])
})

test('a step processes at most batchLimit rows, 500 by default, longest deleted first (rules.md 1.4)', async t => {
  const daemon = await startWithClock(t)
  const id = await daemon.remember('pattern')
  await insertTombstones(daemon, id, 520)
  const [oldest] = await insertTombstones(daemon, id, 1, { deleted_at: '2025-12-31T00:00:00.000Z' })
  daemon.at(31 * dayMs)
  t.is((await daemon.sweep({ batchLimit: 1 })).tombstones, 1)
  t.is(daemon.cold()[0]?.id, oldest)
  const counts = []
  for (let n = 0; n < 3; n++) counts.push((await daemon.sweep()).tombstones)
  t.deepEqual(counts, [500, 20, 0])
})

test('long texts are processed in smaller transactions, up to the same limit', async t => {
  const daemon = await startWithClock(t)
  const id = await daemon.remember('pattern')
  await insertTombstones(daemon, id, 5, { content: 'x'.repeat(700_000) })
  daemon.at(31 * dayMs)
  t.is((await daemon.sweep()).tombstones, 5)
  t.is(JSON.parse(daemon.cold()[4]!.record).content.length, 700_000)
})

test('the steps run in a fixed order (rules.md 1.4)', async t => {
  const daemon = await startWithClock(t)
  const now = new Date(start).toISOString()
  const { jobs } = daemon.daemon.store.tables
  const id = await daemon.remember('pattern')
  const [gone] = await insertTombstones(daemon, id, 1)
  await embed(daemon, gone!)
  for (const job of ['completed', 'dead'])
    await jobs.enqueue({ id: job, kind: job, subject: id, payload: '{}', maxAttempts: 1 }, now)
  daemon.raw.exec(`
    UPDATE jobs SET status = id;
    CREATE TABLE steps (name TEXT);
    CREATE TRIGGER s1 AFTER DELETE ON memory_vectors BEGIN INSERT INTO steps VALUES ('embeddings'); END;
    CREATE TRIGGER s2 AFTER INSERT ON cold_memories BEGIN INSERT INTO steps VALUES ('cold copy'); END;
    CREATE TRIGGER s3 AFTER DELETE ON memories BEGIN INSERT INTO steps VALUES ('tombstones'); END;
    CREATE TRIGGER s4 AFTER DELETE ON memory_history BEGIN INSERT INTO steps VALUES ('history'); END;
    CREATE TRIGGER s5 AFTER DELETE ON jobs BEGIN INSERT INTO steps VALUES (OLD.status || ' jobs'); END;
  `)
  daemon.at(181 * dayMs)
  await daemon.sweep()
  const steps = daemon.raw.prepare('SELECT name FROM steps ORDER BY rowid').all() as { name: string }[]
  t.deepEqual(
    steps.map(({ name }) => name),
    ['embeddings', 'cold copy', 'tombstones', 'history', 'completed jobs', 'dead jobs'],
  )
})

test('embeddings, cold copy and rows are processed in one transaction (rules.md 1.4)', async t => {
  const daemon = await startWithClock(t)
  const [id] = await insertTombstones(daemon, await daemon.remember('pattern'), 1)
  await embed(daemon, id!)
  daemon.raw.exec("CREATE TRIGGER broken BEFORE DELETE ON memories BEGIN SELECT RAISE(ABORT, 'broken'); END")
  daemon.at(31 * dayMs)
  await t.throwsAsync(() => daemon.sweep(), { any: true, code: 'SQLITE_CONSTRAINT_TRIGGER' })
  t.deepEqual(
    [daemon.count('memory_vectors'), daemon.count('cold_memories'), daemon.count('memories')],
    [1, 0, 2],
  )
})

test('a memory imported again under its id leaves a second copy', async t => {
  const daemon = await startWithClock(t)
  const like = await daemon.remember('pattern')
  for (const deleted of ['2025-01-01', '2025-02-01', '2025-02-01']) {
    await storeLike(daemon.daemon, like, [
      { id: 'again', is_deleted: 1, deleted_at: `${deleted}T00:00:00.000Z` },
    ])
    t.is((await daemon.sweep()).tombstones, 1)
  }
  t.deepEqual(
    daemon.cold().map(({ deleted_at }) => deleted_at),
    ['2025-01-01T00:00:00.000Z', '2025-02-01T00:00:00.000Z'],
  )
})

test('a recover that races with retention either succeeds or fails completely (rules.md 3.1)', async t => {
  let now = start
  const daemon = await startDaemon(t, { clock: () => new Date(now++) })
  const raw = openRaw(t, daemon.paths.database)
  const like = await daemon.remember('pattern')
  const ids = await insertTombstones(daemon, like, 40, {
    content: 'contested heron',
    deleted_at: new Date(start + dayMs).toISOString(),
  })
  // Each read of the clock advances it, so the first recoveries are in time and the last are not.
  now = start + 31 * dayMs - 100
  const sweeps = async () => {
    for (let n = 0; n < 20; n++) await sweep(daemon.daemon)
  }
  const [outcomes] = await Promise.all([Promise.all(ids.map(id => recover(daemon, id))), sweeps()])
  now += dayMs
  await sweep(daemon.daemon)
  const kept = new Set((await daemon.daemon.store.tables.memories.load(ids)).map(({ id }) => id))
  const cold = new Set(
    (raw.prepare('SELECT id FROM cold_memories').all() as { id: string }[]).map(row => row.id),
  )
  for (const [position, id] of ids.entries()) {
    const [status, word] = outcomes[position]!
    const won = status === 200
    t.true(won || word === 'retention_expired' || word === 'not_found', String(word))
    t.deepEqual([kept.has(id), cold.has(id)], [won, !won])
  }
  t.true(outcomes.some(([status]) => status === 200) && outcomes.some(([status]) => status !== 200))
  const found = await daemon.recall('contested heron', { limit: 50, score_min: 0 })
  t.deepEqual(found.sort(), [...kept].sort())
})

// Serial, because the daemons of other tests would block the same event loop.
test.serial(
  'deleting 10,000 expired memories never blocks the event loop or the database for 50 ms (rules.md 1.4)',
  async t => {
    const daemon = await startWithClock(t)
    const like = await daemon.remember('pattern')
    for (let n = 0; n < 10; n++) await insertTombstones(daemon, like, 1000)
    daemon.at(31 * dayMs)
    const { store } = daemon.daemon
    const cpuMs: number[] = []
    const waits: number[] = []
    // CPU time, because wall time depends on other programs and tests.
    const transaction: typeof store.transaction = async work => {
      const [before, began] = [process.cpuUsage(), performance.now()]
      const result = await store.transaction(work)
      const { user, system } = process.cpuUsage(before)
      cpuMs.push((user + system) / 1000)
      waits.push(performance.now() - began)
      return result
    }
    for (let deleted = 0; deleted < 10_000; deleted += 500)
      t.is((await sweep({ ...daemon.daemon, store: { ...store, transaction } })).tombstones, 500)
    t.is(daemon.count('cold_memories'), 10_000)
    const [cpu, wait] = [cpuMs, waits].map(times => times.sort((x, y) => x - y))
    t.log(
      `a transaction took ${wait![100]!.toFixed(1)} ms (median), its CPU time ${cpu!.at(-1)!.toFixed(1)} ms at most`,
    )
    t.is(waits.length, 200)
    // Garbage collector threads count too and may affect a few transactions.
    t.true(cpu!.at(-4)! < 50, `${cpu!.at(-4)} ms`)
    t.true(cpu!.at(-1)! < 250, `${cpu!.at(-1)} ms`)
  },
)

test('the daemon runs the sweep by itself after its start (rules.md 1.4)', async t => {
  const daemon = await startWithClock(t)
  await insertTombstones(daemon, await daemon.remember('pattern'), 3)
  await daemon.stop()
  await startDaemon(t, {
    workspace: daemon.paths.root,
    clock: () => new Date(start + 31 * dayMs),
  })
  await until(() => daemon.count('cold_memories') === 3 || undefined)
  t.is(daemon.count('memories'), 1)
})
