import { firstHolder, type Holder } from '../../../store/tables/memory/holders.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import {
  isVisibleTo,
  isWithinProject,
  type MemoryFilter,
  type ReadBoundary,
} from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { holdersOf } from '../records/holders.js'

type Refusal = { refused: 'not_found' | 'scope_violation' }

/** A memory with all its holders, first holder first. */
export interface MemoryWithHolders {
  row: MemoryRow
  holders: readonly Holder[]
}

export type Target = MemoryWithHolders | Refusal

/** A memory to forget: the holders that are removed, and those that stay. */
export interface HolderSplit {
  row: MemoryRow
  leaving: readonly Holder[]
  staying: readonly Holder[]
}

/** The project and scope that a forget request covers; a missing field does not restrict it. */
export interface ForgetScope extends Pick<MemoryFilter, 'scope'> {
  /** All keys of a project. */
  projects?: readonly string[] | undefined
}

/**
 * Finds the row to change, soft-deleted rows included. A row visible to the agent but outside the
 * credential's scope gives `scope_violation` instead of `not_found`, and the request is answered with 403
 * (security.md 5.4). A change affects all holders, so the credential must cover all of them and the caller
 * must see the first.
 */
export async function findToChange(
  tables: Pick<Tables, 'memories' | 'holders'>,
  caller: Caller,
  boundary: ReadBoundary,
  id: string,
): Promise<Target> {
  const found = await findHeld(tables, boundary, id)
  if (!found) return { refused: 'not_found' }
  const { row, holders } = found
  const mayChange =
    holders.every(holder => isInScope(caller, row, holder)) &&
    isVisibleTo(withoutScope(boundary), firstHolder(row))
  return mayChange ? found : { refused: 'scope_violation' }
}

/**
 * Finds the row to forget and the holders to remove: those that the caller sees, its credential covers and
 * the request includes (rules.md#holders). Without any of these the result is `scope_violation`; when no
 * holder is in the requested project and scope, it is `not_found`.
 */
export async function findToForget(
  tables: Pick<Tables, 'memories' | 'holders'>,
  caller: Caller,
  boundary: ReadBoundary,
  { id, within }: { id: string; within: ForgetScope },
): Promise<HolderSplit | Refusal> {
  const found = await findHeld(tables, boundary, id)
  if (!found) return { refused: 'not_found' }
  if (!found.holders.some(holder => isWithin(holder, within))) return { refused: 'not_found' }
  const leaving = splitHolders(caller, boundary, found, within)
  return leaving.leaving.length > 0 ? leaving : { refused: 'scope_violation' }
}

/** Splits the holders of a memory into those that the caller's request removes and those that stay. */
export function splitHolders(
  caller: Caller,
  boundary: ReadBoundary,
  { row, holders }: MemoryWithHolders,
  within: ForgetScope,
): HolderSplit {
  const isLeaving = (holder: Holder): boolean =>
    isInScope(caller, row, holder) && isVisibleTo(withoutScope(boundary), holder) && isWithin(holder, within)
  return {
    row,
    leaving: holders.filter(isLeaving),
    staying: holders.filter(holder => !isLeaving(holder)),
  }
}

function isWithin(holder: Holder, { projects, scope }: ForgetScope): boolean {
  const isOfProject = projects === undefined || (holder.project !== null && projects.includes(holder.project))
  return isOfProject && (scope === undefined || holder.scope === scope)
}

async function findHeld(
  tables: Pick<Tables, 'memories' | 'holders'>,
  boundary: ReadBoundary,
  id: string,
): Promise<MemoryWithHolders | undefined> {
  const row = await tables.memories.find(id, withoutScope(boundary))
  return row && { row, holders: await holdersOf(tables, row) }
}

/** The boundary of the agent, without the limits of the credential. */
function withoutScope({ only: _only, ...visible }: ReadBoundary): ReadBoundary {
  return visible
}

function isInScope(
  { access: { scope } }: Caller,
  { who }: MemoryRow,
  { agent_id, project }: Holder,
): boolean {
  return (
    (scope.agent ?? agent_id) === agent_id && isWithinProject(project, scope) && (scope.user ?? who) === who
  )
}
