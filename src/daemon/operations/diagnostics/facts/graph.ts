import type { Tables } from '../../../../store/tables/tables.js'
import type { DamageList } from './damage.js'
import { behind, type Pause, stretchRows, walk } from './walk.js'

/** Entities that nothing leads to or whose mentions are miscounted, and values that rest on nothing. */
export async function findGraphDamage({ rowDamage }: Tables, found: DamageList, pause: Pause): Promise<void> {
  await walk(
    '',
    async after => behind(await rowDamage.entities(after, stretchRows), stretchRows, ({ id }) => id),
    rows => {
      for (const { id, miscounted, unnamed } of rows) {
        if (miscounted === 1) found.add('miscounted-mentions', 'entities', id)
        if (unnamed === 1) found.add('unnamed-entities', 'entities', id)
      }
    },
    pause,
  )
  await walk(
    '',
    async after => behind(await rowDamage.values(after, stretchRows), stretchRows, ({ id }) => id),
    rows => {
      for (const { id, groundless } of rows)
        if (groundless === 1) found.add('groundless-values', 'claim_versions', id)
    },
    pause,
  )
}
