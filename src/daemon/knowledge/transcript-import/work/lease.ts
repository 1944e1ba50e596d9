import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

export type WorkDeps = Pick<
  Daemon,
  | 'store'
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

/** Somebody paused or ended the import: nothing more may be written under this lease. */
export class LeaseLost extends Error {}

/** The right to work on an import, until its state changes. */
export interface Lease {
  id: string
  agentId: string
  /** Project of all that the import brings; null where each record says its own. */
  project: string | null
  /** Whether files of it came from another machine: their folders are none of this one. */
  isElsewhere: boolean
  number: number
  /** Aborted when it is paused or ended, and when the daemon stops. */
  signal: AbortSignal
}

/** The import as it is now. Call it in the transaction that writes. @throws LeaseLost */
export async function leased(tables: Pick<Tables, 'imports'>, lease: Lease): Promise<ImportRow> {
  const row = await tables.imports.find(lease.id)
  if (row?.state === 'active' && row.lease === lease.number) return row
  throw new LeaseLost('the import was paused or ended meanwhile')
}
