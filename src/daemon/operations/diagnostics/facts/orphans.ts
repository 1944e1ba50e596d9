import { byId, pagesOf } from '../../../../lib/workspace/pages-of.js'
import type { OrphanLook, RowKey } from '../../../../store/tables/operations/orphans.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { DamageList } from './damage.js'
import { type Pause, stretchRows } from './pause.js'

/** The finding that tells of rows of a table whose owner is gone. */
export function orphanFinding(table: string): string {
  return `orphaned-${table.replaceAll('_', '-')}`
}

/** Rows whose owner is gone, in every table whose rows have owners. */
export async function findOrphans({ orphans }: Tables, found: DamageList, pause: Pause): Promise<void> {
  for (const { table } of await orphans.tables()) {
    let after: RowKey | undefined
    do {
      const look: OrphanLook = await orphans.look(table, after, stretchRows)
      for (const key of look.orphans) found.add(orphanFinding(table), table, key.join(' '))
      after = look.next
      await pause()
    } while (after)
  }
}

/** Texts of conversations that nobody is shown any more, and that no capture or import is writing. */
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
