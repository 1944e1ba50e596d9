import type { Database } from 'better-sqlite3'
import {
  addUnseen,
  dropMemories,
  forgetLongAgo,
  loseVectors,
  orphanHints,
  putEmbedJobs,
  repeatTexts,
  setModel,
  someMemories,
  unmarkVectors,
} from '../../test/helpers/planted-damage.js'

/** One kind of damage: how to plant it, which findings report it, and which repair fixes it. */
export interface Damage {
  what: string
  /** Number of damaged rows. */
  count: number
  plant(raw: Database, count: number): void
  /** Ids of the findings that report it. */
  findings: readonly string[]
  /** Last segment of the repair's route, and its request body. */
  repair: string
  body: object
  /** Planted while the daemon runs. */
  isLive?: true
}

const at = '2026-01-01T00:00:00.000Z'

function each(raw: Database, text: string, count: number, values: (n: number) => readonly unknown[]): void {
  const statement = raw.prepare(text)
  for (let n = 0; n < count; n++) statement.run(...values(n))
}

const sweeping = { maxBatches: 100 }

/** In the order of their repairs. */
export const damages: readonly Damage[] = [
  {
    what: 'vectors of another model',
    count: 100,
    plant: (raw, count) => setModel(raw, someMemories(raw, 2000, count), 'older'),
    findings: ['stale-vectors'],
    repair: 're-embed-migration',
    body: { batchSize: 50, runBudgetMs: 60_000 },
  },
  {
    what: 'memories without a vector, failed jobs',
    count: 200,
    plant: (raw, count) => loseVectors(raw, someMemories(raw, 0, count)),
    findings: ['vectors'],
    repair: 're-embed',
    body: { fullSweep: true, runBudgetMs: 60_000 },
  },
  {
    what: 'vectors with invalid bytes',
    count: 100,
    plant: (raw, count) => {
      for (const [n, id] of someMemories(raw, 1000, count).entries())
        raw
          .prepare('UPDATE memory_vectors SET vector = ? WHERE memory_id = ?')
          .run(n % 2 === 0 ? Buffer.alloc(1536, 0xff) : Buffer.alloc(7), id)
    },
    findings: ['damaged-vectors'],
    repair: 're-embed',
    body: { fullSweep: true, runBudgetMs: 60_000 },
  },
  {
    what: 'vectors of deleted memories',
    count: 500,
    plant: (raw, count) =>
      each(
        raw,
        `INSERT INTO memory_vectors (memory_id, provider, model, dimensions, vector, created_at)
        VALUES (?, 'openai', 'synthetic', 1, x'0000803f', ?)`,
        count,
        n => [`gone ${n}`, at],
      ),
    findings: ['orphaned-memory-vectors'],
    repair: 'clean-orphans',
    body: sweeping,
  },
  {
    what: 'hints of deleted memories',
    count: 500,
    plant: orphanHints,
    findings: ['orphaned-memory-hints'],
    repair: 'clean-orphans',
    body: sweeping,
  },
  {
    what: 'mentions and names of deleted entities',
    count: 200,
    plant: (raw, count) => {
      const [id] = someMemories(raw, 0, 1)
      each(raw, 'INSERT INTO entity_mentions VALUES (?, ?)', count, n => [`nobody ${n}`, id])
      each(raw, "INSERT INTO entity_names VALUES ('default', ?, ?, 'Nobody', 0)", count, n => [
        `n ${n}`,
        `nobody ${n}`,
      ])
    },
    findings: ['orphaned-entity-mentions', 'orphaned-entity-names'],
    repair: 'clean-orphans',
    body: sweeping,
  },
  {
    what: 'events of deleted sessions',
    count: 200,
    plant: (raw, count) =>
      each(
        raw,
        "INSERT INTO session_events VALUES ('default', ?, 1, 'e', 'k', ?, 't', 'd', '[]', '{}')",
        count,
        // Too recent for the daemon's own sweep.
        n => [`gone ${n}`, new Date().toISOString()],
      ),
    findings: ['orphaned-session-events'],
    repair: 'clean-orphans',
    body: sweeping,
  },
  {
    what: 'wrong holder counts',
    count: 50,
    plant: (raw, count) => {
      for (const id of someMemories(raw, 4000, count))
        raw.prepare('UPDATE memories SET further_holders = 3 WHERE id = ?').run(id)
    },
    findings: ['miscounted-holders'],
    repair: 'clean-orphans',
    body: sweeping,
  },
  {
    what: 'wrong vector flags',
    count: 50,
    plant: (raw, count) => unmarkVectors(raw, someMemories(raw, 5000, count)),
    findings: ['mismarked-vectors'],
    repair: 'resync-vectors',
    body: sweeping,
  },
  {
    what: 'memories with the text of another',
    count: 300,
    plant: (raw, count) => repeatTexts(raw, someMemories(raw, 6000, count), 1_000_000),
    findings: ['duplicates', 'changed-contents'],
    repair: 'deduplicate',
    body: { batchSize: 500 },
  },
  {
    what: 'memories missing from the index',
    count: 300,
    plant: (raw, count) =>
      addUnseen(raw, someMemories(raw, 7000, count), { name: 'late', changes: 2_000_000 }),
    findings: ['index-lacks'],
    repair: 'check-fts',
    body: { repair: true },
    isLive: true,
  },
  {
    what: 'index entries of deleted memories',
    count: 200,
    plant: (raw, count) => dropMemories(raw, someMemories(raw, 8000, count)),
    findings: ['index-excess'],
    repair: 'check-fts',
    body: { repair: true },
    isLive: true,
  },
  {
    what: 'failed jobs',
    count: 300,
    plant: (raw, count) =>
      putEmbedJobs(
        raw,
        Array.from({ length: count }, (_, n) => `nobody ${n}`),
      ),
    // A start with a model that is new to the workspace would reset the attempts by itself.
    isLive: true,
    findings: ['dead-jobs'],
    repair: 'requeue-dead',
    body: {},
  },
  {
    what: 'forgotten memories past their retention',
    count: 300,
    plant: (raw, count) => forgetLongAgo(raw, someMemories(raw, 9000, count)),
    findings: ['overdue-tombstones'],
    repair: 'retention-sweep',
    body: {},
  },
]
