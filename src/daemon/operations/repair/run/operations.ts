import { AppError } from '../../../../contract/ground/errors.js'
import { quoted } from '../../../../lib/text/clip.js'
import { dayMs } from '../../../../lib/time/time.js'
import type { RepairOperation } from '../../../../store/tables/operations/repairs.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

/** How long one that nobody goes on with can be gone on with. */
const keptDays = 30

/** How far a repair came that takes several calls. */
export interface Operation<Place, Counts> {
  id: string
  status: 'running' | 'complete' | 'failed'
  place: Place
  counts: Counts
  /** Why it failed. */
  error: string | null
}

export interface Opening<Place, Counts> {
  action: string
  /** What it is about: one runs for each. */
  scope: Readonly<Record<string, unknown>>
  /** The embedding model that it is for, where that matters: with another one it fails. */
  profile?: string | undefined
  /** One to go on with; without it the one that runs for this scope goes on, or one begins. */
  operationId?: string | undefined
  start: () => Promise<{ place: Place; counts: Counts }>
}

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId'>

/**
 * The operation that a call goes on with, or a new one.
 * @throws AppError `not_found` for an operation that is not there, or is about something else.
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
      `there is no operation ${quoted(operationId)} like this; leave operationId out to begin one`,
    )
  if (known) {
    const operation = read<Place, Counts>(known)
    if (operation.status !== 'running' || (known.profile ?? undefined) === profile) return operation
    await fail(deps, operation, `it was begun for ${known.profile}, and the model is ${profile} now`)
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

/** Writes down how far it is, in the transaction of what was done, or behind it. */
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

/** It can't be gone on with. */
export async function fail(
  deps: Pick<Deps, 'store' | 'clock'>,
  operation: Operation<unknown, unknown>,
  why: string,
): Promise<void> {
  operation.status = 'failed'
  operation.error = why
  await saveOperation(deps.store.tables, deps, operation)
}
