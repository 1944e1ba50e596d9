import type { TransferredMemory } from '../../../contract/operations/transfer.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { MemoryRow, NewMemory } from '../../../store/tables/memory/memories.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { holdAlso, isSamePlace } from '../../memory/records/holders.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Row = Omit<NewMemory, 'change'>

/** The holders beside the first that a file names, each once; those of a private memory tell nobody of it. */
export function furtherHolders({ holders = [] }: TransferredMemory, row: Row): Holder[] {
  const first = { agent_id: row.agent_id, project: row.project ?? null, scope: row.scope ?? null }
  const further: Holder[] = []
  for (const { held_at = row.created_at, ...place } of holders) {
    const visibility = row.visibility === 'private' ? 'private' : place.visibility
    const holder = { ...place, visibility, held_at }
    if (![first, ...further].some(other => isSamePlace(other, holder))) further.push(holder)
  }
  return further
}

/**
 * What the file has of a memory that is known by its content or key: whoever held it there holds the known one
 * (rules.md#holders). Call it in the transaction that found the known one.
 * @returns the known row as it is now; undefined when nothing changed.
 */
export async function holdKnown(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  tables: Tables,
  caller: Caller,
  { existingId, row, holders }: { existingId: string; row: Row; holders: readonly Holder[] },
): Promise<MemoryRow | undefined> {
  let changed: MemoryRow | undefined
  for (const place of [row, ...holders.map(holder => ({ ...row, ...holder }))]) {
    const [known] = await tables.memories.load([existingId])
    if (known) changed = (await holdAlso(deps, tables, caller, known, place)) ?? changed
  }
  return changed
}
