import { pagesOf } from '../../../../lib/workspace/pages-of.js'
import { chunkType } from '../../../../store/tables/memory/memory-filter.js'
import type { MemoryConsistencyRow, MemoryHash } from '../../../../store/tables/operations/row-damage.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { contentHash, storageContent } from '../../../memory/records/normalise-content.js'
import type { DamageList, Pause } from './damage.js'

/** Memories with texts per statement. */
const stretch = 500
/** Changed memories that are checked for duplicates. */
const maxLookedUp = 5000

/** A memory with the text and the readers of another one. */
export interface Duplicate {
  id: string
  /** Id of the original, which has the hash of this text. */
  of: string
}

/** Finds memories whose counts or marks are wrong, and duplicates. */
export async function findMemoryDamage(
  { rowDamage }: Tables,
  found: DamageList,
  pause: Pause,
): Promise<Duplicate[]> {
  const changed: MemoryHash[] = []
  const pages = pagesOf({ from: 0, limit: stretch, read: rowDamage.memories, placeOf: ({ place }) => place })
  for await (const rows of pages) {
    for (const row of rows) {
      if (row.further_holders !== row.holders) found.add('miscounted-holders', 'memories', row.id)
      if (row.marked !== row.has_vector) found.add('mismarked-vectors', 'memories', row.id)
      const hash = hashOf(row)
      if (hash === undefined || hash === row.content_hash) continue
      found.add('changed-contents', 'memories', row.id)
      const isSeen = row.is_deleted === 0 && row.visibility !== 'archived'
      if (isSeen && changed.length < maxLookedUp) changed.push({ id: row.id, hash, space: row.hash_space })
    }
    await pause()
  }
  return duplicatesAmong(changed, await rowDamage.known(changed))
}

/** The hash of its current text; undefined for kinds hashed differently, and for texts too long to read. */
function hashOf({ content, type, visibility }: MemoryConsistencyRow): string | undefined {
  if (content === null || type === chunkType || visibility === 'archived') return undefined
  return contentHash(storageContent(content))
}

/** The first memory with a text is the original, every later one a duplicate. */
function duplicatesAmong(changed: readonly MemoryHash[], known: readonly MemoryHash[]): Duplicate[] {
  const keyOf = ({ hash, space }: MemoryHash) => `${hash} ${space}`
  const firsts = new Map(known.map(place => [keyOf(place), place.id]))
  const found: Duplicate[] = []
  for (const place of changed) {
    const first = firsts.get(keyOf(place))
    if (first === undefined) firsts.set(keyOf(place), place.id)
    else if (first !== place.id) found.push({ id: place.id, of: first })
  }
  return found
}
