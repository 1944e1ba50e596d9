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

/** One kind of damage: how it comes about, what finds it and what mends it. */
export interface Damage {
  what: string
  /** Rows that are planted. */
  count: number
  plant(raw: Database, count: number): void
  /** Ids of the findings that tell of it. */
  findings: readonly string[]
  /** Last segment of its route, and what it is asked for. */
  repair: string
  body: object
  /** It is planted while the daemon runs. */
  isLive?: true
}

const at = '2026-01-01T00:00:00.000Z'

function each(raw: Database, text: string, count: number, values: (n: number) => readonly unknown[]): void {
  const statement = raw.prepare(text)
  for (let n = 0; n < count; n++) statement.run(...values(n))
}

const sweeping = { maxBatches: 100 }

/** In the order in which they are mended. */
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
    what: 'memories without a vector, given up',
    count: 200,
    plant: (raw, count) => loseVectors(raw, someMemories(raw, 0, count)),
    findings: ['vectors'],
    repair: 're-embed',
    body: { fullSweep: true, runBudgetMs: 60_000 },
  },
  {
    what: 'vectors whose bytes are none',
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
    what: 'vectors of memories that are gone',
    count: 500,
    plant: (raw, count) =>
      each(
        raw,
        "INSERT INTO memory_vectors VALUES (?, 'openai', 'synthetic', 1, x'0000803f', ?)",
        count,
        n => [`gone ${n}`, at],
      ),
    findings: ['orphaned-memory-vectors'],
    repair: 'clean-orphans',
    body: sweeping,
  },
  {
    what: 'hints of memories that are gone',
    count: 500,
    plant: orphanHints,
    findings: ['orphaned-memory-hints'],
    repair: 'clean-orphans',
    body: sweeping,
  },
  {
    what: 'mentions and names of entities that are gone',
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
    what: 'events of sessions that are gone',
    count: 200,
    plant: (raw, count) =>
      each(
        raw,
        "INSERT INTO session_events VALUES ('default', ?, 1, 'e', 'k', ?, 't', 'd', '[]', '{}')",
        count,
        // Younger than what a sweep takes.
        n => [`gone ${n}`, new Date().toISOString()],
      ),
    findings: ['orphaned-session-events'],
    repair: 'clean-orphans',
    body: sweeping,
  },
  {
    what: 'wrong counts of holders',
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
    what: 'wrong marks of vectors',
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
    what: 'memories that the index lacks',
    count: 300,
    plant: (raw, count) =>
      addUnseen(raw, someMemories(raw, 7000, count), { name: 'late', changes: 2_000_000 }),
    findings: ['index-lacks'],
    repair: 'check-fts',
    body: { repair: true },
    isLive: true,
  },
  {
    what: 'entries of memories that are gone',
    count: 200,
    plant: (raw, count) => dropMemories(raw, someMemories(raw, 8000, count)),
    findings: ['index-excess'],
    repair: 'check-fts',
    body: { repair: true },
    isLive: true,
  },
  {
    what: 'jobs that were given up',
    count: 300,
    plant: (raw, count) =>
      putEmbedJobs(
        raw,
        Array.from({ length: count }, (_, n) => `nobody ${n}`),
      ),
    // A start with a model that is new here would give them their attempts back by itself.
    isLive: true,
    findings: ['dead-jobs'],
    repair: 'requeue-dead',
    body: {},
  },
  {
    what: 'forgotten memories past their time',
    count: 300,
    plant: (raw, count) => forgetLongAgo(raw, someMemories(raw, 9000, count)),
    findings: ['overdue-tombstones'],
    repair: 'retention-sweep',
    body: {},
  },
]
