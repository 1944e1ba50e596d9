import type { JudgedMemory } from '../../../store/tables/memory/memories.js'
import type { MemoryFilter, ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Ranked } from './ranking/evidence.js'
import type { RankedRows } from './ranking/ranked-rows.js'
import { weights } from './ranking/weights.js'

/** Which rows may be given, and how many are wanted at least. */
interface Wanted {
  boundary: ReadBoundary
  filter: MemoryFilter
  limit: number
  /** Of chunks beside memories, those of one document don't take all places. */
  rows: 'all' | 'chunks'
}

/**
 * The best candidates that the reader may see, best first. One statement authorises and loads what they are judged by: of
 * the others nothing leaves the database (recall.md 1.3.6).
 */
export async function judgedRows(
  { store }: Pick<Daemon, 'store'>,
  { boundary, filter, limit, rows: kind }: Wanted,
  ranked: RankedRows,
): Promise<{ best: Ranked[]; rows: Map<string, JudgedMemory> }> {
  const wanted = Math.max(weights.candidates.loaded, limit)
  const best: Ranked[] = []
  const rows = new Map<string, JudgedMemory>()
  const hasRoom = kind === 'chunks' ? roomForChunks() : () => true
  // The index has filtered already, so nearly all pass: ask for as many as are wanted first.
  let asked = wanted
  for (let start = 0; rows.size < wanted && start < ranked.length; ) {
    const some = ranked.slice(start, start + asked)
    const ids = some.map(({ id }) => id)
    const loaded = await store.tables.memories.loadJudged(ids, boundary, filter)
    const allowed = new Map(loaded.map(row => [row.id, row]))
    for (const one of some) {
      const row = allowed.get(one.id)
      if (!row || rows.size >= wanted || !hasRoom(row)) continue
      best.push(one)
      rows.set(one.id, row)
    }
    start += some.length
    const perRow = start / Math.max(1, rows.size)
    asked = Math.min(
      weights.candidates.maxGrowth * asked,
      Math.ceil(weights.candidates.spareShare * perRow * (wanted - rows.size)),
    )
  }
  return { best, rows }
}

/** A document of hundreds of chunks leaves places to others. */
function roomForChunks(): (row: JudgedMemory) => boolean {
  const loaded = new Map<string, number>()
  return ({ source_id: documentId }) => {
    if (documentId === null) return true
    const count = (loaded.get(documentId) ?? 0) + 1
    loaded.set(documentId, count)
    return count <= weights.document.loaded
  }
}
