import { AppError, notFound } from '../../../../contract/ground/errors.js'
import type { SourceRow } from '../../../../store/tables/knowledge/sources.js'
import { agentOf, assertInScope, type NamedAgent, readBoundary } from '../../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store'>

/** Sources belong to no project and no user: a credential confined to either cannot reach any. */
export function mayReachSources({ access: { scope } }: Caller): boolean {
  return scope.project === undefined && scope.user === undefined
}

/**
 * Returns the agent whose sources a request is about.
 * @throws AppError `scope_violation`
 */
export function agentOfSources(caller: Caller, named: NamedAgent | undefined): string {
  if (!mayReachSources(caller))
    throw new AppError(
      'scope_violation',
      'sources belong to no project, and this credential is limited to one',
    )
  return agentOf(caller, named) ?? defaultAgent
}

/**
 * Lists the sources of an agent; with `readable` also sources of other agents that its recalls may search
 * (sources.md#finding).
 */
export async function listSources(
  deps: Deps,
  caller: Caller,
  { readable, ...named }: NamedAgent & { readable: boolean },
): Promise<SourceRow[]> {
  const { sources } = deps.store.tables
  const agentId = agentOfSources(caller, named)
  if (!readable) return sources.list([agentId])
  return sources.list(await sources.agentsWithin(await readBoundary(deps, caller, named)))
}

/**
 * Returns a source visible to the caller, tombstones included.
 * @throws AppError `not_found`, `scope_violation`
 */
export async function findSourceRow(
  deps: Deps,
  caller: Caller,
  { id, named }: { id: string; named: NamedAgent | undefined },
): Promise<SourceRow> {
  agentOfSources(caller, named)
  const row = await deps.store.tables.sources.load(id)
  const { agents, globalOf } = await readBoundary(deps, caller, named)
  const isVisible =
    row && (agents.includes(row.agent_id) || globalOf === 'all' || globalOf.includes(row.agent_id))
  if (!row || !isVisible) throw notFound(`source "${id}" not found`, 'see memory sources list')
  return row
}

/**
 * Returns a source that is not being removed.
 * @throws AppError `not_found`, `scope_violation`
 */
export async function findSource(
  deps: Deps,
  caller: Caller,
  wanted: { id: string; named: NamedAgent | undefined },
): Promise<SourceRow> {
  return assertNotRemoved(await findSourceRow(deps, caller, wanted), 'not_found')
}

/**
 * Returns a source for removal, tombstones included. An agent may read sources of other agents but not change
 * them.
 * @throws AppError `not_found`, `scope_violation`
 */
export async function findRowToChange(
  deps: Deps,
  caller: Caller,
  wanted: { id: string; named: NamedAgent | undefined },
): Promise<SourceRow> {
  const row = await findSourceRow(deps, caller, wanted)
  assertInScope(caller.access.scope, 'agent', row.agent_id)
  return row
}

/**
 * Returns a source for a change.
 * @throws AppError `not_found`, `scope_violation`, `conflict` while it is removed
 */
export async function findSourceToChange(
  deps: Deps,
  caller: Caller,
  wanted: { id: string; named: NamedAgent | undefined },
): Promise<SourceRow> {
  return assertNotRemoved(await findRowToChange(deps, caller, wanted), 'conflict')
}

function assertNotRemoved(row: SourceRow, code: 'not_found' | 'conflict'): SourceRow {
  if (row.removed_at === null) return row
  throw new AppError(code, `the source ${row.id} is being removed; wait until that is done`)
}
