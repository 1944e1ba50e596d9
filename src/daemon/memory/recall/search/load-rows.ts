import type { CandidateMemory } from '../../../../store/tables/memory/memories.js'
import type { MemoryFilter, ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { Candidate } from '../ranking/evidence.js'
import type { RankedRows } from '../ranking/run-steps.js'
import { weights } from '../ranking/weights.js'
import type { AuthorizedRow, WholeRow } from './candidates.js'

/** Which rows may be given, and how many are wanted at least. */
interface LoadRequest {
  boundary: ReadBoundary
  filter: MemoryFilter
  limit: number
  /** Of chunks beside memories, those of one document don't take all places. */
  rows: 'all' | 'chunks'
}

/**
 * The best candidates that the reader may see, best first. One statement authorises them and loads the columns that the
 * ranking reads: nothing of the others leaves the database (recall.md 1.3.6).
 */
export async function authorizedRows(
  { store }: Pick<Daemon, 'store'>,
  { boundary, filter, limit, rows: kind }: LoadRequest,
  ranked: RankedRows,
): Promise<{ best: Candidate[]; rows: Map<string, CandidateMemory> }> {
  const wanted = Math.max(weights.candidates.loaded, limit)
  const best: Candidate[] = []
  const rows = new Map<string, CandidateMemory>()
  const hasRoom = kind === 'chunks' ? roomForChunks() : () => true
  // The index has filtered already, so nearly all pass: ask for as many as are wanted first.
  let asked = wanted
  for (let start = 0; rows.size < wanted && start < ranked.length; ) {
    const candidates = ranked.slice(start, start + asked)
    const ids = candidates.map(({ id }) => id)
    const loaded = await store.tables.memories.loadJudged(ids, boundary, filter)
    const allowed = new Map(loaded.map(row => [row.id, row]))
    for (const candidate of candidates) {
      const row = allowed.get(candidate.id)
      if (!row || rows.size >= wanted || !hasRoom(row)) continue
      best.push(candidate)
      rows.set(candidate.id, row)
    }
    start += candidates.length
    const perRow = start / Math.max(1, rows.size)
    asked = Math.min(
      weights.candidates.maxGrowth * asked,
      Math.ceil(weights.candidates.spareShare * perRow * (wanted - rows.size)),
    )
  }
  return { best, rows }
}

/** A document of hundreds of chunks leaves places to others. */
function roomForChunks(): (row: CandidateMemory) => boolean {
  const loaded = new Map<string, number>()
  return ({ source_id: documentId }) => {
    if (documentId === null) return true
    const count = (loaded.get(documentId) ?? 0) + 1
    loaded.set(documentId, count)
    return count <= weights.document.loaded
  }
}

/**
 * The same rows with all columns that a reply shows, in the same order. They are authorised once more: a row that was
 * forgotten in between is left out (recall.md 1.3.6).
 */
export async function wholeRows(
  { store }: Pick<Daemon, 'store'>,
  { boundary, filter }: { boundary: ReadBoundary; filter: MemoryFilter },
  authorized: readonly AuthorizedRow[],
): Promise<WholeRow[]> {
  const ids = authorized.map(({ id }) => id)
  const loaded = await store.tables.memories.loadRecallable(ids, boundary, filter)
  const rows = new Map(loaded.map(row => [row.id, row]))
  const whole: WholeRow[] = []
  for (const { id, evidence, own, contributions, score } of authorized) {
    const row = rows.get(id)
    if (row) whole.push({ id, evidence, own, contributions, score, row })
  }
  return whole
}
