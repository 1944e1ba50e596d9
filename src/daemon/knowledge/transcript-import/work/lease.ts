import { AppError } from '../../../../contract/ground/errors.js'
import { storageFault } from '../../../../lib/files/storage-fault.js'
import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

export type WorkDeps = Pick<
  Daemon,
  | 'store'
  | 'projects'
  | 'paths'
  | 'clock'
  | 'newId'
  | 'log'
  | 'telemetry'
  | 'budget'
  | 'capturing'
  | 'transcriptIndex'
  | 'configuration'
  | 'environment'
  | 'requestsInFlight'
>

/** Thrown after the import was paused or ended: nothing may be written under this lease any more. */
export class LeaseLost extends Error {}

/** The right to process an import until its state changes. */
export interface Lease {
  id: string
  agentId: string
  /** Project of all imported conversations; null if each record names its own. */
  project: string | null
  /** True if files came from another machine, so that their folders do not exist here. */
  isElsewhere: boolean
  number: number
  /** Aborts when the import is paused or ended, and when the daemon stops. */
  signal: AbortSignal
}

/**
 * Loads the import and checks the lease. Call it in the transaction that writes.
 * @throws LeaseLost
 */
export async function loadLeased(tables: Pick<Tables, 'imports'>, lease: Lease): Promise<ImportRow> {
  const row = await tables.imports.find(lease.id)
  if (row?.state === 'active' && row.lease === lease.number) return row
  throw new LeaseLost('the import was paused or ended in the meantime')
}

/** True for a temporary failure outside of the import: the disk is full, or writes are frozen. */
export function isOutage(error: unknown): boolean {
  return storageFault(error) !== undefined || (error instanceof AppError && error.code === 'mutations_frozen')
}
