import { byId, pagesOf } from '../../../../lib/workspace/pages-of.js'
import type { OrphanScan, RowKey } from '../../../../store/tables/operations/orphans.js'
import { vectorFault } from '../../../../store/tables/operations/row-damage.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { type DamageList, type Pause, stretchRows } from './damage.js'

/** Id of the finding for orphaned rows of a table. */
export function orphanFinding(table: string): string {
  return `orphaned-${table.replaceAll('_', '-')}`
}

/** Finds rows whose owner is deleted, in every table whose rows have owners. */
export async function findOrphans({ orphans }: Tables, found: DamageList, pause: Pause): Promise<void> {
  for (const { table } of await orphans.tables()) {
    let after: RowKey | undefined
    do {
      const look: OrphanScan = await orphans.look(table, after, stretchRows)
      for (const key of look.orphans) found.add(orphanFinding(table), table, key.join(' '))
      after = look.next
      await pause()
    } while (after)
  }
}

/** Finds conversation texts that nothing references and that no capture or import is writing. */
export async function findOrphanedBodies(
  { orphans }: Tables,
  found: DamageList,
  pause: Pause,
): Promise<void> {
  const table = 'transcript_messages'
  const pages = pagesOf({ from: '', limit: stretchRows, read: orphans.bodies, placeOf: byId })
  for await (const rows of pages) {
    for (const { id, orphaned } of rows) if (orphaned === 1) found.add(orphanFinding(table), table, id)
    await pause()
  }
}

/** Finds entities that are unreachable or have wrong mention counts, and values without evidence. */
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

/** Vectors per statement: 400 KiB at 1,024 dimensions. */
const batchRows = 100

/** Finds vectors that have the wrong length, contain non-numbers, or are all zero. */
export async function findVectorDamage(
  { rowDamage }: Tables,
  found: DamageList,
  pause: Pause,
): Promise<void> {
  const pages = pagesOf({ from: 0, limit: batchRows, read: rowDamage.vectors, placeOf: ({ place }) => place })
  for await (const rows of pages) {
    for (const row of rows)
      if (vectorFault(row)) found.add('damaged-vectors', 'memory_vectors', row.memory_id)
    await pause()
  }
}
