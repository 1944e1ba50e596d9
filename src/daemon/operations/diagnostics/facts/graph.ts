import { byId, pagesOf } from '../../../../lib/workspace/pages-of.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { DamageList } from './damage.js'
import { type Pause, stretchRows } from './pause.js'

/** Entities that nothing leads to or whose mentions are miscounted, and values that rest on nothing. */
export async function findGraphDamage({ rowDamage }: Tables, found: DamageList, pause: Pause): Promise<void> {
  const walk = { from: '', limit: stretchRows, placeOf: byId }
  for await (const rows of pagesOf({ ...walk, read: rowDamage.entities })) {
    for (const { id, miscounted, unnamed } of rows) {
      if (miscounted === 1) found.add('miscounted-mentions', 'entities', id)
      if (unnamed === 1) found.add('unnamed-entities', 'entities', id)
    }
    await pause()
  }
  for await (const rows of pagesOf({ ...walk, read: rowDamage.values })) {
    for (const { id, groundless } of rows)
      if (groundless === 1) found.add('groundless-values', 'claim_versions', id)
    await pause()
  }
}
