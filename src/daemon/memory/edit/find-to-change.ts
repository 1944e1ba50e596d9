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

type Refused = { refused: 'not_found' | 'scope_violation' }

/** A memory with everybody who holds it, the first one first. */
export interface Held {
  row: MemoryRow
  holders: readonly Holder[]
}

export type Target = Held | Refused

/** A memory that is to be forgotten: the holders that let it go, and those that keep it. */
export interface Leaving {
  row: MemoryRow
  leaving: readonly Holder[]
  staying: readonly Holder[]
}

/** The project and scope in which a request forgets; a missing field does not restrict. */
export interface ForgottenIn extends Pick<MemoryFilter, 'scope'> {
  /** All keys of a project. */
  projects?: readonly string[] | undefined
}

/**
 * The row that a change is about, soft-deleted ones included. A row that the agent may see but the credential excludes
 * is told apart from none, since a change of it is answered with 403 (security.md 5.4). A change is one for
 * everybody who holds the memory: the credential must cover them all, and the caller see the first.
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
 * The row that is to be forgotten. Only the holders that the caller sees, its credential covers and the request does
 * not exclude let go of it (rules.md#holders); without any it is another's. Nobody holds it where the request looks:
 * it is not there.
 */
export async function findToForget(
  tables: Pick<Tables, 'memories' | 'holders'>,
  caller: Caller,
  boundary: ReadBoundary,
  { id, within }: { id: string; within: ForgottenIn },
): Promise<Leaving | Refused> {
  const found = await findHeld(tables, boundary, id)
  if (!found) return { refused: 'not_found' }
  if (!found.holders.some(holder => isWithin(holder, within))) return { refused: 'not_found' }
  const leaving = leavingOf(caller, boundary, found, within)
  return leaving.leaving.length > 0 ? leaving : { refused: 'scope_violation' }
}

/** Which holders of a memory a caller forgets it for. */
export function leavingOf(
  caller: Caller,
  boundary: ReadBoundary,
  { row, holders }: Held,
  within: ForgottenIn,
): Leaving {
  const isLeaving = (holder: Holder): boolean =>
    isInScope(caller, row, holder) && isVisibleTo(withoutScope(boundary), holder) && isWithin(holder, within)
  return {
    row,
    leaving: holders.filter(isLeaving),
    staying: holders.filter(holder => !isLeaving(holder)),
  }
}

function isWithin(holder: Holder, { projects, scope }: ForgottenIn): boolean {
  const isOfProject = projects === undefined || (holder.project !== null && projects.includes(holder.project))
  return isOfProject && (scope === undefined || holder.scope === scope)
}

async function findHeld(
  tables: Pick<Tables, 'memories' | 'holders'>,
  boundary: ReadBoundary,
  id: string,
): Promise<Held | undefined> {
  const row = await tables.memories.find(id, withoutScope(boundary))
  return row && { row, holders: await holdersOf(tables, row) }
}

/** What the agent may see, whatever the credential is confined to. */
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
