import { setTimeout as wait } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import type { Database } from 'better-sqlite3'
import type { DiagnosticsReport } from '../../../src/contract/operations/diagnostics.js'
import { packedId } from '../../../src/store/sql/packed.js'
import { settingsWithVectors } from '../../helpers/call-every-route.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import {
  copyMemories,
  copyRows,
  dropMemories,
  forgetLongAgo,
  longAgo,
  setModel,
  unmarkVectors,
} from '../../helpers/planted-damage.js'
import { openRaw } from '../../helpers/store.js'

type Domain = 'queue' | 'storage' | 'index' | 'duplicate' | 'graph' | 'openclaw'

/** Damage done with a database tool, the finding for it, and the repair that the finding names. */
interface PlantedDamage {
  /** @param ids memories without other damage */
  plant(raw: Database, ids: readonly [string, string, string]): void
  domain: Domain
  id: string
  count: number
  repair?: string
}

const planted: readonly PlantedDamage[] = [
  {
    plant: (raw, [a, b, c]) => {
      const set = raw.prepare('UPDATE memory_vectors SET vector = ? WHERE memory_id = ?')
      set.run(Buffer.alloc(7), a)
      set.run(Buffer.from(new Float32Array(8).fill(Number.NaN).buffer), b)
      set.run(Buffer.alloc(32), c)
    },
    ...{ domain: 'index', id: 'damaged-vectors', count: 3, repair: 're-embed' },
  },
  {
    plant: (raw, [a]) =>
      copyRows(raw, { table: 'memory_vectors', key: 'memory_id', values: [a] }, () => ({
        ...{ rowid: null, memory_id: 'gone' },
      })),
    ...{ domain: 'index', id: 'orphaned-memory-vectors', count: 1, repair: 'clean-orphans' },
  },
  {
    plant: (raw, [a]) => unmarkVectors(raw, [a]),
    ...{ domain: 'index', id: 'mismarked-vectors', count: 1, repair: 'resync-vectors' },
  },
  {
    plant: (raw, [a]) => setModel(raw, [a], 'older'),
    ...{ domain: 'index', id: 'stale-vectors', count: 1, repair: 're-embed-migration' },
  },
  {
    plant: (raw, [a]) => copyMemories(raw, [a], () => ({ id: 'unseen', hash_space: 'other' })),
    ...{ domain: 'index', id: 'index-lacks', count: 1, repair: 'check-fts' },
  },
  {
    plant: (raw, [a]) => {
      raw.prepare('DELETE FROM memory_vectors WHERE memory_id = ?').run(a)
      raw.prepare('DELETE FROM memory_history WHERE memory_id = ?').run(packedId(a))
      dropMemories(raw, [a])
    },
    // The second one comes from the tombstone below.
    ...{ domain: 'index', id: 'index-excess', count: 2, repair: 'check-fts' },
  },
  {
    plant: (raw, [a]) =>
      copyRows(raw, { table: 'memory_history', key: 'memory_id', values: [packedId(a)] }, () => ({
        id: 'h',
        memory_id: 'gone',
        new_content: 'a text found nowhere else',
      })),
    ...{ domain: 'storage', id: 'orphaned-memory-history', count: 1 },
  },
  {
    plant: raw => raw.exec("INSERT INTO memory_hints VALUES ('gone', 0, 'a hint'), ('gone', 1, 'another')"),
    ...{ domain: 'storage', id: 'orphaned-memory-hints', count: 2 },
  },
  {
    plant: raw => raw.exec("INSERT INTO document_chunks VALUES ('gone', 1, 0, 'gone', NULL, NULL)"),
    ...{ domain: 'storage', id: 'orphaned-document-chunks', count: 1 },
  },
  {
    plant: raw => raw.exec("INSERT INTO temporal_edges VALUES ('gone', 'lost', 0)"),
    ...{ domain: 'storage', id: 'orphaned-temporal-edges', count: 1 },
  },
  {
    plant: raw =>
      raw.exec(`INSERT INTO transcript_messages VALUES ('lost', 0, 'user', NULL, 'hello', 0, 'f'),
        ('lost', 1, 'user', NULL, 'you', 0, 'g')`),
    ...{ domain: 'openclaw', id: 'orphaned-transcript-messages', count: 1 },
  },
  {
    plant: (raw, [a]) => raw.prepare("UPDATE memories SET content = 'other words' WHERE id = ?").run(a),
    // The second one is the duplicate below.
    ...{ domain: 'storage', id: 'changed-contents', count: 2 },
  },
  {
    plant: (raw, [a, b]) =>
      raw
        .prepare('UPDATE memories SET content = (SELECT content FROM memories WHERE id = ?) WHERE id = ?')
        .run(a, b),
    ...{ domain: 'duplicate', id: 'duplicates', count: 1, repair: 'deduplicate' },
  },
  {
    plant: (raw, [a]) => raw.prepare('UPDATE memories SET further_holders = 2 WHERE id = ?').run(a),
    ...{ domain: 'storage', id: 'miscounted-holders', count: 1 },
  },
  {
    plant: (raw, [a]) => forgetLongAgo(raw, [a]),
    ...{ domain: 'storage', id: 'overdue-tombstones', count: 1, repair: 'retention-sweep' },
  },
  {
    plant: raw => raw.exec("INSERT INTO entity_names VALUES ('default', 'lost', 'gone', 'Lost', 1)"),
    ...{ domain: 'graph', id: 'orphaned-entity-names', count: 1 },
  },
  {
    plant: raw =>
      raw.exec(`INSERT INTO entities VALUES
        ('e1', 'default', 'Ada', 'ada', 'person', 0, 3, NULL, '${longAgo}', '${longAgo}');
        INSERT INTO claims VALUES ('c1', 'default', 'e1', 'a', 'a', 'g', 'g', 'c', 'c', 'attribute', '${longAgo}');
        INSERT INTO claim_versions (id, claim_id, entity_id, value, value_hash, confidence, status, recorded_at)
          VALUES ('v1', 'c1', 'e1', 'x', 'h', 1, 'current', '${longAgo}')`),
    ...{ domain: 'graph', id: 'miscounted-mentions', count: 1, repair: 'relink-entities' },
  },
  {
    plant: () => undefined,
    ...{ domain: 'graph', id: 'unnamed-entities', count: 1, repair: 'relink-entities' },
  },
  { plant: () => undefined, ...{ domain: 'graph', id: 'groundless-values', count: 1 } },
  ...(
    [
      ['dead', 'dead-jobs', 'requeue-dead'],
      ['leased', 'stale-leases', 'release-leases'],
    ] as const
  ).map(
    ([status, id, repair]): PlantedDamage => ({
      plant: raw =>
        raw.exec(`INSERT INTO jobs (id, kind, subject, status, attempts, max_attempts, leased_at, run_after,
        created_at, updated_at) VALUES ('${id}', 'synthesis', '${id}', '${status}', 5, 5, '${longAgo}', '${longAgo}', '${longAgo}', '${longAgo}')`),
      ...{ domain: 'queue', id, count: 1, repair },
    }),
  ),
]

test('each kind of damage is found, counted, and named with the repair for it (operations.md#what-is-found)', async t => {
  const daemon = await filledDaemon(t, planted.length * 3)
  const before = await findingsOf(daemon)
  const ills = (report: DiagnosticsReport) =>
    domainsOf(report).flatMap(({ findings }) => findings.filter(({ severity }) => severity !== 'ok'))
  t.deepEqual(
    ills(before).map(({ id }) => id),
    [],
  )
  t.is(before.composite.status, 'healthy')
  const raw = openRaw(t, daemon.paths.database)
  raw.pragma('foreign_keys = OFF')
  for (const [at, { plant }] of planted.entries())
    plant(raw, daemon.ids.slice(at * 3, at * 3 + 3) as [string, string, string])
  const after = await findingsOf(daemon)
  for (const { domain, id, count, repair } of planted) {
    const found = after[domain].findings.find(one => one.id === id && one.severity !== 'ok')
    t.like(found, { count, ...(repair && { repair }) }, id)
    t.true((found?.samples?.length ?? count) > 0, id)
  }
  const expected = new Set(planted.map(({ id }) => id))
  t.deepEqual(
    ills(after)
      .map(({ id }) => id)
      .filter(id => !expected.has(id)),
    // Some vectors are of another model or missing.
    ['vectors'],
  )
  t.is(after.composite.status, 'unhealthy')
  t.true((await daemon.recall('crane number')).length > 0, 'recall still works')
})

function domainsOf({ queue, storage, index, provider, mutation, duplicate, ...rest }: DiagnosticsReport) {
  return [queue, storage, index, provider, mutation, duplicate, rest.connector, rest.graph, rest.openclaw]
}

/** Starts a daemon with `count` memories and their vectors. */
async function filledDaemon(t: ExecutionContext, count: number): Promise<TestDaemon & { ids: string[] }> {
  const daemon = await startDaemon(t, { settings: await settingsWithVectors(t) })
  const ids: string[] = []
  for (let at = 0; at < count; at++) ids.push(await daemon.remember(`crane number ${at} is painted red`))
  while ((await daemon.call('GET /api/status')).body.embedding.withoutVector > 0) await wait(20)
  return { ...daemon, ids }
}

async function findingsOf({ call }: TestDaemon): Promise<DiagnosticsReport> {
  const { status, body } = await call('GET /api/diagnostics', { query: { refresh: true } })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}
