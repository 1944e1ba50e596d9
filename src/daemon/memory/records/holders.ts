import { firstHolder, type Holder } from '../../../store/tables/memory/holders.js'
import type { MemoryRow, NewMemory } from '../../../store/tables/memory/memories.js'
import { isVisibleTo, type ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import { type Author, type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { noteUnsupported } from './note-unsupported.js'
import { stripOrigin } from './origin.js'
import { type Change, recordChange } from './write-change.js'

type Deps = Pick<Daemon, 'clock' | 'newId'>
type HolderPlace = Pick<Holder, 'agent_id' | 'project' | 'scope'>
/** Agent, project, scope and visibility of a save. */
type SaveTarget = Pick<NewMemory, 'agent_id' | 'project' | 'scope' | 'visibility'>

/** History metadata for an added or removed holder. */
interface HolderEvent {
  holder: Omit<Holder, 'held_at'>
  held: 'added' | 'removed'
}

/** Returns all holders of a memory, first holder first. With a single holder it makes no query. */
export async function holdersOf(tables: Pick<Tables, 'holders'>, row: MemoryRow): Promise<Holder[]> {
  const first = firstHolder(row)
  if (row.further_holders === 0) return [first]
  return [first, ...((await tables.holders.of([row.id])).get(row.id) ?? [])]
}

/**
 * Returns the agent, project, scope and visibility shown for a memory: those of the first holder visible to
 * the reader (rules.md#holders).
 */
export function shownHolder(
  row: Parameters<typeof firstHolder>[0],
  told: readonly Holder[],
): { shownAs: Omit<Holder, 'held_at'>; others: Holder[] } {
  const [{ held_at: _heldAt, ...shownAs } = firstHolder(row), ...others] = told
  return { shownAs, others }
}

/**
 * Adds the writer of an existing memory to its holders, so that it is found in the new place too
 * (rules.md#holders). A holder is never added twice. A private memory stays private, whatever the save
 * requests.
 * @returns the row in its new state; undefined when nothing changed.
 */
export async function addHolder(
  deps: Deps,
  tables: Tables,
  caller: Caller,
  row: MemoryRow,
  place: SaveTarget,
): Promise<MemoryRow | undefined> {
  const known = await holdersOf(tables, row)
  const holder = holderBySave(row, known, place, deps.clock().toISOString())
  if (!holder) return undefined
  if (holder.agent_id !== defaultAgent) await tables.agents.register(holder.agent_id, holder.held_at)
  await tables.holders.put(row.id, holder)
  const change = await tables.meta.nextChange()
  await tables.holders.recount(row.id, change)
  await recordChange(deps, tables, caller, { id: row.id, change }, savedAgainChange(holder))
  return { ...row, change, further_holders: withHolder(known, holder).length - 1 }
}

/** Returns the holder that a save adds to an existing memory; undefined when it changes nothing. */
export function holderBySave(
  row: Pick<MemoryRow, 'visibility'>,
  known: readonly Holder[],
  { agent_id, project = null, scope = null, visibility: wanted }: SaveTarget,
  now: string,
): Holder | undefined {
  const visibility = row.visibility === 'global' ? wanted : 'private'
  const holder: Holder = { agent_id, project, scope, visibility, held_at: now }
  const same = known.find(other => isSamePlace(other, holder))
  return same && (same.visibility === visibility || visibility === 'private') ? undefined : holder
}

/** Returns the holders with one added, or replaced in the same place. */
export function withHolder(known: readonly Holder[], holder: Holder): Holder[] {
  const place = known.findIndex(other => isSamePlace(other, holder))
  return place < 0 ? [...known, holder] : known.with(place, holder)
}

/** The history change for the holder from {@link holderBySave}. */
export function savedAgainChange(holder: Holder): Change {
  return { event: 'modified', reason: 'saved again', metadata: holderEvent(holder, 'added') }
}

/**
 * Transfers the holders of a duplicate to this memory, with their visibility and place (operations.md 5.5).
 */
export async function transferHolders(
  deps: Deps,
  tables: Tables,
  author: Author,
  { row, holders }: { row: MemoryRow; holders: readonly Holder[] },
  reason: string,
): Promise<void> {
  const known = await holdersOf(tables, row)
  for (const { visibility: wanted, ...place } of holders) {
    const visibility = row.visibility === 'global' ? wanted : 'private'
    const same = known.find(other => isSamePlace(other, place))
    if (same && (same.visibility === visibility || visibility === 'private')) continue
    const holder: Holder = { ...place, visibility }
    await tables.holders.put(row.id, holder)
    const change = await tables.meta.nextChange()
    await tables.holders.recount(row.id, change)
    await recordHolderChange(deps, tables, author, { id: row.id, change }, { holder, held: 'added' }, reason)
  }
}

/**
 * Removes holders from a memory that others still hold. When the first holder goes, the next takes its place
 * in the row, a global one before a private one. The idempotency key of the first save is dropped. So is its
 * origin when the next holder is another agent or project. Facts that a leaving agent drew from the memory
 * are queued for review.
 */
export async function releaseHolders(
  deps: Deps,
  tables: Tables,
  author: Author,
  { row, leaving, staying }: { row: MemoryRow; leaving: readonly Holder[]; staying: readonly Holder[] },
  reason: string,
): Promise<void> {
  for (const holder of leaving) await tables.holders.remove(row.id, holder)
  if (leaving.some(holder => isSamePlace(holder, firstHolder(row)))) {
    const next = staying.find(({ visibility }) => visibility === 'global') ?? (staying[0] as Holder)
    await tables.holders.remove(row.id, next)
    const isOther = next.project !== row.project || next.agent_id !== row.agent_id
    await tables.holders.putFirst(isOther ? stripOrigin(row) : row, next)
    if (isOther) await tables.history.forgetSessions(row.id)
  }
  const gone = leaving.filter(({ agent_id }) => !staying.some(other => other.agent_id === agent_id))
  for (const { agent_id } of gone) await noteUnsupported(deps, tables, [row.id], agent_id)
  for (const holder of leaving) {
    const change = await tables.meta.nextChange()
    await tables.holders.recount(row.id, change)
    await recordHolderChange(
      deps,
      tables,
      author,
      { id: row.id, change },
      { holder, held: 'removed' },
      reason,
    )
  }
}

/** True for the same agent, project and scope: a memory has at most one such holder. */
export function isSamePlace(one: HolderPlace, other: HolderPlace): boolean {
  return one.agent_id === other.agent_id && one.project === other.project && one.scope === other.scope
}

function recordHolderChange(
  deps: Deps,
  tables: Tables,
  author: Author,
  memory: { id: string; change: number },
  { holder, held }: { holder: Holder; held: HolderEvent['held'] },
  reason: string,
): Promise<void> {
  const metadata = holderEvent(holder, held)
  return recordChange(deps, tables, author, memory, { event: 'modified', reason, metadata })
}

function holderEvent({ held_at: _heldAt, ...holder }: Holder, held: HolderEvent['held']): HolderEvent {
  return { holder, held }
}

/** True when a reader may see an event; events about a holder require that the holder is visible. */
export function isVisibleEvent(boundary: ReadBoundary, metadata: unknown): boolean {
  const { holder } = (metadata ?? {}) as Partial<HolderEvent>
  return holder === undefined || isVisibleTo(boundary, holder)
}
