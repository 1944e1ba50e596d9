import { pagesOf } from '../../../../lib/workspace/pages-of.js'
import { vectorFault } from '../../../../store/tables/operations/row-damage.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { DamageList } from './damage.js'
import type { Pause } from './pause.js'

/** Vectors that one statement reads: 400 KiB at 1,024 dimensions. */
const stretch = 100

/** Vectors whose bytes are none: of another length than they say, with what is no number, or all zero. */
export async function findVectorDamage(
  { rowDamage }: Tables,
  found: DamageList,
  pause: Pause,
): Promise<void> {
  const pages = pagesOf({ from: 0, limit: stretch, read: rowDamage.vectors, placeOf: ({ place }) => place })
  for await (const rows of pages) {
    for (const row of rows)
      if (vectorFault(row)) found.add('damaged-vectors', 'memory_vectors', row.memory_id)
    await pause()
  }
}
