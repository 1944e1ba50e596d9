import { pagesOf } from '../../../../lib/workspace/pages-of.js'
import { chunkType } from '../../../../store/tables/memory/memory-filter.js'
import type { HashPlace, MemoryFacts } from '../../../../store/tables/operations/row-damage.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { contentHash, storageContent } from '../../../memory/records/normalise-content.js'
import type { DamageList, Pause } from './damage.js'

/** Memories that one statement reads with their texts. */
const stretch = 500
/** Of so many memories whose text was changed it is looked for another with the same. */
const maxLookedUp = 5000

/** A memory that has the text of another one, whom the same readers see. */
export interface Duplicate {
  id: string
  /** The one that has the hash of this text. */
  of: string
}

/** Memories that say something of themselves that is not so, and those that have the text of another. */
export async function findMemoryDamage(
  { rowDamage }: Tables,
  found: DamageList,
  pause: Pause,
): Promise<Duplicate[]> {
  const changed: HashPlace[] = []
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

/** The hash that its text has now; undefined where it is not made of the text alone, or the text is too long. */
function hashOf({ content, type, visibility }: MemoryFacts): string | undefined {
  if (content === null || type === chunkType || visibility === 'archived') return undefined
  return contentHash(storageContent(content))
}

/** The first with a text is the original, and every other one its duplicate. */
function duplicatesAmong(changed: readonly HashPlace[], known: readonly HashPlace[]): Duplicate[] {
  const keyOf = ({ hash, space }: HashPlace) => `${hash} ${space}`
  const firsts = new Map(known.map(place => [keyOf(place), place.id]))
  const found: Duplicate[] = []
  for (const place of changed) {
    const first = firsts.get(keyOf(place))
    if (first === undefined) firsts.set(keyOf(place), place.id)
    else if (first !== place.id) found.push({ id: place.id, of: first })
  }
  return found
}
