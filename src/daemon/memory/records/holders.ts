import type { NewHistoryRow } from '../../../store/tables/memory/history.js'
import { firstHolder, type Holder } from '../../../store/tables/memory/holders.js'
import type { MemoryRow, NewMemory } from '../../../store/tables/memory/memories.js'
import {
  chunkType,
  isVisibleTo,
  type ReadBoundary,
  withoutOrigin,
} from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import { settleValues } from '../../ground/entities/settle-values.js'
import { type Author, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type Change, changeEvent, recordChange } from './write-change.js'

type Deps = Pick<Daemon, 'clock' | 'newId'>
type HolderPlace = Pick<Holder, 'agent_id' | 'project' | 'scope'>
/** Agent, project, scope and visibility of a save. */
type SaveTarget = Pick<NewMemory, 'agent_id' | 'project' | 'scope' | 'visibility'>

/** History metadata for an added or removed holder. */
interface HolderEvent {
  holder: Omit<Holder, 'held_at'>
  held: 'added' | 'removed'
}

/** Source type of a harness's own note; the path is its file in the workspace. */
export const noteSource = 'native-note'

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

/** A stored memory, and where it was saved again. */
export interface SavedAgain {
  row: MemoryRow
  places: readonly SaveTarget[]
}

/**
 * Adds the writers of existing memories to their holders, so that these are found in the new places too
 * (rules.md#holders): the only way, for a save as for hundreds of an import. Call it in the transaction that
 * found them. All are read at once, and a holder that is known already costs no statement. A private memory
 * stays private, whatever the save requests.
 * @returns the changed rows in their new state.
 */
export async function addHolders(
  deps: Deps,
  tables: Tables,
  author: Author,
  saves: readonly SavedAgain[],
): Promise<MemoryRow[]> {
  const now = deps.clock().toISOString()
  const added = await newHolders(tables, saves, now)
  if (added.length === 0) return []
  const agents = new Set(added.map(({ holder }) => holder.agent_id))
  for (const agent of agents) if (agent !== defaultAgent) await tables.agents.register(agent, now)
  let change = await tables.meta.nextChanges(added.length)
  const events: NewHistoryRow[] = []
  const changed = new Map<string, MemoryRow>()
  for (const { row, holder, holders } of added) {
    await tables.holders.put(row.id, holder)
    events.push(changeEvent(deps, author, { id: row.id, change }, savedAgainChange(holder)))
    changed.set(row.id, { ...row, change, further_holders: holders - 1 })
    change++
  }
  for (const row of changed.values()) await tables.holders.recount(row.id, row.change)
  await tables.history.append(events)
  return [...changed.values()]
}

interface AddedHolder {
  row: MemoryRow
  holder: Holder
  /** Number of holders including this one. */
  holders: number
}

async function newHolders(tables: Tables, saves: readonly SavedAgain[], now: string): Promise<AddedHolder[]> {
  const shared = saves.filter(({ row }) => row.further_holders > 0).map(({ row }) => row.id)
  const further = await tables.holders.of([...new Set(shared)])
  const all = new Map<string, Holder[]>()
  const added: AddedHolder[] = []
  for (const { row, places } of saves)
    for (const place of places) {
      const before = all.get(row.id) ?? [firstHolder(row), ...(further.get(row.id) ?? [])]
      const holder = holderBySave(row, before, place, now)
      if (!holder) continue
      const after = withHolder(before, holder)
      all.set(row.id, after)
      added.push({ row, holder, holders: after.length })
    }
  return added
}

/** Returns the holder that a save adds to an existing memory; undefined when it changes nothing. */
function holderBySave(
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
function withHolder(known: readonly Holder[], holder: Holder): Holder[] {
  const place = known.findIndex(other => isSamePlace(other, holder))
  return place < 0 ? [...known, holder] : known.with(place, holder)
}

/** The history change for the holder from {@link holderBySave}. */
function savedAgainChange(holder: Holder): Change {
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
  for (const { agent_id } of gone) await noteUnsupported(deps, tables, [row.id], { leaving: agent_id })
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

/** Removes a row's origin, except what the memory itself depends on: a chunk's source, a note's file. */
export function stripOrigin(row: MemoryRow): MemoryRow {
  const { type, source_id, source_type, source_path } = row
  return {
    ...withoutOrigin(row),
    ...(type === chunkType && { source_id }),
    ...(source_type === noteSource && { source_path }),
  }
}

/**
 * Queues a review of facts drawn from memories or artifacts that no longer support them: forgotten or deleted
 * ones, or ones that content safety excludes. Values that these replaced are current again at once
 * (knowledge.md#forgetting). Call it in the transaction of the change, after it.
 * @param leaving the one agent that no longer holds them; all agents when absent.
 */
export async function noteUnsupported(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  tables: Tables,
  ids: readonly string[],
  { leaving, kind = 'memory' }: { leaving?: string | undefined; kind?: 'memory' | 'artifact' } = {},
): Promise<void> {
  const isResting = await queueReview(deps, tables, ids, { leaving, kind })
  if (isResting) await settleValues(deps, tables, { kind, ids })
}

/**
 * Queues a review of facts from a memory that another one replaced. It waits until Dreaming has read the new
 * one, which may say the same.
 */
export async function noteSuperseded(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  tables: Tables,
  id: string,
): Promise<void> {
  await queueReview(deps, tables, [id], { kind: 'memory' })
}

/** @returns whether any facts rest on them */
async function queueReview(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  { attentions, evidenceSpans }: Tables,
  ids: readonly string[],
  { leaving, kind }: { leaving?: string | undefined; kind: 'memory' | 'artifact' },
): Promise<boolean> {
  const resting = await evidenceSpans.agentsRestingOn(kind, ids)
  for (const { agent_id, source_id } of resting) {
    if (leaving !== undefined && agent_id !== leaving) continue
    await attentions.add({
      id: deps.newId(),
      agent_id,
      subject_kind: kind,
      subject: source_id,
      kind: 'unsupported_source',
      detail: null,
      created_at: deps.clock().toISOString(),
    })
  }
  return resting.length > 0
}
