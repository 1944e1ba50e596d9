import type { RecallableMemory } from '../../../../store/tables/memory/memories.js'
import type { MemoryFilter, ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { Candidate } from '../ranking/evidence.js'
import type { RankedRows } from '../ranking/run-steps.js'
import { weights } from '../ranking/weights.js'

/** Rows that may be returned, and the minimum to load. */
interface LoadRequest {
  boundary: ReadBoundary
  filter: MemoryFilter
  limit: number
  /** For chunks beside memories, the number per document is limited. */
  rows: 'all' | 'chunks'
  /** Reads people's judgements beside the rows. */
  judge(ids: readonly string[]): Promise<ReadonlyMap<string, number> | undefined>
}

/** Candidates that the reader may see. */
interface AuthorizedRows {
  /** Best first. */
  best: Candidate[]
  rows: Map<string, RecallableMemory>
  judged: Map<string, number>
}

/**
 * Returns the best candidates that the reader may see. One statement authorises and loads them, so no other
 * content leaves the database (recall.md 1.3.6).
 */
export async function authorizedRows(
  { store, clock }: Pick<Daemon, 'store' | 'clock'>,
  { boundary, filter, limit, rows: kind, judge }: LoadRequest,
  ranked: RankedRows,
): Promise<AuthorizedRows> {
  const wanted = Math.max(weights.candidates.loaded, limit)
  const best: Candidate[] = []
  const rows = new Map<string, RecallableMemory>()
  const judged = new Map<string, number>()
  const now = clock().toISOString()
  const hasRoom = kind === 'chunks' ? roomForChunks() : () => true
  // The index has filtered already and nearly all rows pass, so the first round requests just the number
  // needed.
  let asked = wanted
  for (let start = 0; rows.size < wanted && start < ranked.length; ) {
    const candidates = ranked.slice(start, start + asked)
    const ids = candidates.map(({ id }) => id)
    const [loaded, ratings] = await Promise.all([
      store.tables.memories.loadRecallable(ids, boundary, filter),
      judge(ids),
    ])
    const allowed = new Map(loaded.filter(row => !hasExpired(row, now)).map(row => [row.id, row]))
    for (const candidate of candidates) {
      const row = allowed.get(candidate.id)
      if (!row || rows.size >= wanted || !hasRoom(row)) continue
      best.push(candidate)
      rows.set(candidate.id, row)
      const rating = ratings?.get(candidate.id)
      if (rating !== undefined) judged.set(candidate.id, rating)
    }
    start += candidates.length
    const perRow = start / Math.max(1, rows.size)
    asked = Math.min(
      weights.candidates.maxGrowth * asked,
      Math.ceil(weights.candidates.spareShare * perRow * (wanted - rows.size)),
    )
  }
  return { best, rows, judged }
}

/** True for a memory that recall leaves out by its time (rules.md 1.4.1). */
function hasExpired({ expires_at, pinned }: RecallableMemory, now: string): boolean {
  return expires_at !== null && expires_at <= now && pinned === 0
}

/** Leaves room for other documents beside one with hundreds of chunks. */
function roomForChunks(): (row: RecallableMemory) => boolean {
  const loaded = new Map<string, number>()
  return ({ source_id: documentId }) => {
    if (documentId === null) return true
    const count = (loaded.get(documentId) ?? 0) + 1
    loaded.set(documentId, count)
    return count <= weights.document.loaded
  }
}
