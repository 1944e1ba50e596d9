import { firstHolder, type Holder } from '../../../store/tables/memory/holders.js'
import type { MemoryRow, NewMemory } from '../../../store/tables/memory/memories.js'
import type { NewHistoryRow } from '../../../store/tables/operations/transfer.js'
import type { Tables } from '../../../store/tables/tables.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { holderBySave, isSamePlace, savedAgainChange, withHolder } from '../../memory/records/holders.js'
import { changeEvent } from '../../memory/records/write-change.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { NamedHolders } from './imported-row.js'

type Row = Pick<NewMemory, 'agent_id' | 'project' | 'scope' | 'visibility' | 'created_at'>

/** The additional holders in a file, each once. Holders of a private memory are private too. */
export function furtherHolders(holders: NamedHolders = [], row: Row): Holder[] {
  const first = { agent_id: row.agent_id, project: row.project ?? null, scope: row.scope ?? null }
  const further: Holder[] = []
  for (const { held_at = row.created_at, ...place } of holders) {
    const visibility = row.visibility === 'private' ? 'private' : place.visibility
    const holder = { ...place, visibility, held_at }
    if (![first, ...further].some(other => isSamePlace(other, holder))) further.push(holder)
  }
  return further
}

/** An imported memory whose content or key another memory already has. */
export interface KnownMemory {
  existingId: string
  row: Row
  /** All but the first, which the row names. */
  holders: readonly Holder[]
}

/**
 * Adds the file's holders to the memories that already have the same content or key (rules.md#holders). Call
 * it in the transaction that found them. All are read at once, and holders already known cost no statement.
 * @returns the changed rows in their new state
 */
export async function addHolders(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  tables: Tables,
  caller: Caller,
  known: readonly KnownMemory[],
): Promise<MemoryRow[]> {
  const added = await newHolders(tables, known, deps.clock().toISOString())
  if (added.length === 0) return []
  const agents = new Map(added.map(({ holder }) => [holder.agent_id, holder.held_at]))
  for (const [agent, now] of agents) if (agent !== defaultAgent) await tables.agents.register(agent, now)
  let change = await tables.meta.nextChanges(added.length)
  const events: NewHistoryRow[] = []
  const changed = new Map<string, MemoryRow>()
  for (const { row, holder, holders } of added) {
    await tables.holders.put(row.id, holder)
    events.push(changeEvent(deps, caller, { id: row.id, change }, savedAgainChange(holder)))
    changed.set(row.id, { ...row, change, further_holders: holders - 1 })
    change++
  }
  for (const row of changed.values()) await tables.holders.recount(row.id, row.change)
  await tables.transfer.insertEvents(events)
  return [...changed.values()]
}

interface AddedHolder {
  row: MemoryRow
  holder: Holder
  /** Number of holders including this one. */
  holders: number
}

async function newHolders(
  tables: Tables,
  known: readonly KnownMemory[],
  now: string,
): Promise<AddedHolder[]> {
  const ids = [...new Set(known.map(({ existingId }) => existingId))]
  const rows = new Map((await tables.memories.load(ids)).map(row => [row.id, row]))
  const further = await tables.holders.of(
    [...rows.values()].filter(row => row.further_holders > 0).map(row => row.id),
  )
  const all = new Map(
    [...rows.values()].map(row => [row.id, [firstHolder(row), ...(further.get(row.id) ?? [])]]),
  )
  const added: AddedHolder[] = []
  for (const { existingId, row: imported, holders } of known) {
    const row = rows.get(existingId)
    if (!row) continue
    for (const place of [imported, ...holders.map(holder => ({ ...imported, ...holder }))]) {
      const before = all.get(existingId) ?? []
      const holder = holderBySave(row, before, place, now)
      if (!holder) continue
      const after = withHolder(before, holder)
      all.set(existingId, after)
      added.push({ row, holder, holders: after.length })
    }
  }
  return added
}
