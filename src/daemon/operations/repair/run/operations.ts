import { AppError } from '../../../../contract/ground/errors.js'
import { quoted } from '../../../../lib/text/clip.js'
import { dayMs } from '../../../../lib/time/time.js'
import type { RepairOperation } from '../../../../store/tables/operations/repairs.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

/** How long an abandoned operation can be continued. */
const keptDays = 30

/** Progress of a repair that takes several calls. */
export interface Operation<Place, Counts> {
  id: string
  status: 'running' | 'complete' | 'failed'
  place: Place
  counts: Counts
  error: string | null
}

export interface Opening<Place, Counts> {
  action: string
  /** One operation runs per scope. */
  scope: Readonly<Record<string, unknown>>
  /** The embedding model it is bound to: with another model it fails. */
  profile?: string | undefined
  /** The operation to continue; without it the running one of this scope continues, or a new one starts. */
  operationId?: string | undefined
  start: () => Promise<{ place: Place; counts: Counts }>
}

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId'>

/**
 * Returns the operation to continue, or starts one.
 * @throws AppError `not_found` for an unknown operation, or one with another scope.
 */
export async function openOperation<Place, Counts>(
  deps: Deps,
  { action, scope, profile, operationId, start }: Opening<Place, Counts>,
): Promise<Operation<Place, Counts>> {
  const { repairOperations } = deps.store.tables
  const text = JSON.stringify(scope)
  const known = operationId
    ? await repairOperations.find(operationId)
    : await repairOperations.running(action, text)
  if (operationId && (known?.action !== action || known.scope !== text))
    throw new AppError(
      'not_found',
      `operation ${quoted(operationId)} not found for this repair; omit operationId to start a new one`,
    )
  if (known) {
    const operation = read<Place, Counts>(known)
    if (operation.status !== 'running' || (known.profile ?? undefined) === profile) return operation
    await failOperation(
      deps,
      operation,
      `it was started for ${known.profile}, but the model is now ${profile}`,
    )
    if (operationId) return operation
  }
  return begin(deps, { action, scope: text, profile }, await start())
}

function read<Place, Counts>({
  id,
  status,
  place,
  counts,
  error,
}: RepairOperation): Operation<Place, Counts> {
  return {
    id,
    status: status as Operation<Place, Counts>['status'],
    place: JSON.parse(place) as Place,
    counts: JSON.parse(counts) as Counts,
    error,
  }
}

async function begin<Place, Counts>(
  { store, clock, newId }: Deps,
  { action, scope, profile }: { action: string; scope: string; profile: string | undefined },
  { place, counts }: { place: Place; counts: Counts },
): Promise<Operation<Place, Counts>> {
  const now = clock()
  const id = newId()
  await store.tables.repairOperations.begin(
    {
      id,
      action,
      scope,
      status: 'running',
      profile: profile ?? null,
      place: JSON.stringify(place),
      counts: JSON.stringify(counts),
      error: null,
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
    },
    new Date(now.getTime() - keptDays * dayMs).toISOString(),
  )
  return { id, status: 'running', place, counts, error: null }
}

/** Saves the progress, within the transaction of the work or after it. */
export async function saveOperation(
  tables: Pick<Tables, 'repairOperations'>,
  { clock }: Pick<Deps, 'clock'>,
  { id, status, place, counts, error }: Operation<unknown, unknown>,
): Promise<void> {
  await tables.repairOperations.save(id, {
    status,
    place: JSON.stringify(place),
    counts: JSON.stringify(counts),
    error,
    updated_at: clock().toISOString(),
  })
}

/** Marks an operation as failed; it can't be continued. */
export async function failOperation(
  deps: Pick<Deps, 'store' | 'clock'>,
  operation: Operation<unknown, unknown>,
  why: string,
): Promise<void> {
  operation.status = 'failed'
  operation.error = why
  await saveOperation(deps.store.tables, deps, operation)
}
