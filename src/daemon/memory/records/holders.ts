import { firstHolder, type Holder } from '../../../store/tables/memory/holders.js'
import type { MemoryRow, NewMemory } from '../../../store/tables/memory/memories.js'
import { isVisibleTo, type ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import { type Author, type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { noteUnsupported } from './note-unsupported.js'
import { passedOn } from './origin.js'
import { type Change, recordChange } from './write-change.js'

type Deps = Pick<Daemon, 'clock' | 'newId'>
type Place = Pick<Holder, 'agent_id' | 'project' | 'scope'>
/** Where a memory is saved. */
type SavedPlace = Pick<NewMemory, 'agent_id' | 'project' | 'scope' | 'visibility'>

/** What the history tells of a holder that came or went. */
interface HolderEvent {
  holder: Omit<Holder, 'held_at'>
  held: 'added' | 'removed'
}

/** Everybody who holds a memory, the first one first. One that was saved once takes no look at the database. */
export async function holdersOf(tables: Pick<Tables, 'holders'>, row: MemoryRow): Promise<Holder[]> {
  const first = firstHolder(row)
  if (row.further_holders === 0) return [first]
  return [first, ...((await tables.holders.of([row.id])).get(row.id) ?? [])]
}

/**
 * The agent, project, scope and visibility that replies give a memory: those of the first holder that the reader may
 * know of (rules.md#holders).
 */
export function firstTold(
  row: Parameters<typeof firstHolder>[0],
  told: readonly Holder[],
): { shownAs: Omit<Holder, 'held_at'>; others: Holder[] } {
  const [{ held_at: _heldAt, ...shownAs } = firstHolder(row), ...others] = told
  return { shownAs, others }
}

/**
 * Makes whoever saves a memory that is there already one of its holders, so that it is found where it was saved again
 * (rules.md#holders). Nobody becomes one twice. A private memory stays its agent's own, whatever the save says.
 * @returns the row as it is now; undefined when nothing changed.
 */
export async function holdAlso(
  deps: Deps,
  tables: Tables,
  caller: Caller,
  row: MemoryRow,
  place: SavedPlace,
): Promise<MemoryRow | undefined> {
  const known = await holdersOf(tables, row)
  const holder = holderBySave(row, known, place, deps.clock().toISOString())
  if (!holder) return undefined
  if (holder.agent_id !== defaultAgent) await tables.agents.register(holder.agent_id, holder.held_at)
  await tables.holders.put(row.id, holder)
  const change = await tables.meta.nextChange()
  await tables.holders.recount(row.id, change)
  await recordChange(deps, tables, caller, { id: row.id, change }, savedAgain(holder))
  return { ...row, change, further_holders: withHolder(known, holder).length - 1 }
}

/** Whom a save in a place makes a holder of a memory that is there already; undefined where it changes nothing. */
export function holderBySave(
  row: Pick<MemoryRow, 'visibility'>,
  known: readonly Holder[],
  { agent_id, project = null, scope = null, visibility: wanted }: SavedPlace,
  now: string,
): Holder | undefined {
  const visibility = row.visibility === 'global' ? wanted : 'private'
  const holder: Holder = { agent_id, project, scope, visibility, held_at: now }
  const same = known.find(other => isSamePlace(other, holder))
  return same && (same.visibility === visibility || visibility === 'private') ? undefined : holder
}

/** Holders with one more, or with the one in its place as it is now. */
export function withHolder(known: readonly Holder[], holder: Holder): Holder[] {
  const place = known.findIndex(other => isSamePlace(other, holder))
  return place < 0 ? [...known, holder] : known.with(place, holder)
}

/** The change that {@link holderBySave} is, as history tells it. */
export function savedAgain(holder: Holder): Change {
  return { event: 'modified', reason: 'saved again', metadata: holderEvent(holder, 'added') }
}

/** Who held another memory with the same text holds this one, as they held that, and in its place (operations.md 5.5). */
export async function takeOver(
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
    await noteHolder(deps, tables, author, { id: row.id, change }, { holder, held: 'added' }, reason)
  }
}

/**
 * Takes holders from a memory that others go on holding. When the first one goes, the next takes its place in the row,
 * one that tells everybody before one that does not; a key of the first one's save goes with it, and where that came from
 * when the next one is another agent or of another project. What an agent knows by a memory that it let go of is to be looked at.
 */
export async function letGo(
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
    await tables.holders.putFirst(isOther ? passedOn(row) : row, next)
    if (isOther) await tables.history.forgetSessions(row.id)
  }
  const gone = leaving.filter(({ agent_id }) => !staying.some(other => other.agent_id === agent_id))
  for (const { agent_id } of gone) await noteUnsupported(deps, tables, [row.id], agent_id)
  for (const holder of leaving) {
    const change = await tables.meta.nextChange()
    await tables.holders.recount(row.id, change)
    await noteHolder(deps, tables, author, { id: row.id, change }, { holder, held: 'removed' }, reason)
  }
}

/** Whether two holders are one: nobody holds a memory twice in one project and scope. */
export function isSamePlace(one: Place, other: Place): boolean {
  return one.agent_id === other.agent_id && one.project === other.project && one.scope === other.scope
}

function noteHolder(
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

/** Whether an event may be told to a reader: one about a holder only to those who may know of that holder. */
export function isTellable(boundary: ReadBoundary, metadata: unknown): boolean {
  const { holder } = (metadata ?? {}) as Partial<HolderEvent>
  return holder === undefined || isVisibleTo(boundary, holder)
}
