import { AppError } from '../../../contract/ground/errors.js'
import type { DatabaseSchema, TableSample } from '../../../contract/operations/diagnostics.js'
import { agentOf, type NamedAgent } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { isConfined } from './findings/finding.js'
import { surveysOf } from './survey/surveys.js'

/**
 * The tables of the database with row counts. @throws AppError `scope_violation` for another agent than the
 * credential's.
 */
export async function databaseSchema(
  daemon: Daemon,
  caller: Caller,
  query: NamedAgent,
): Promise<DatabaseSchema> {
  agentOf(caller, query)
  return surveysOf(daemon).ask('schema', daemon.clock().toISOString())
}

/**
 * Some rows of a table, of all owners.
 * @throws AppError `scope_violation` for a credential confined to an agent, project or author; `not_found`
 * and `validation_failed` for a table that does not exist or is not shown.
 */
export async function tableSample(
  daemon: Daemon,
  caller: Caller,
  { table, limit, offset, ...named }: NamedAgent & { table: string; limit: number; offset: number },
): Promise<TableSample> {
  agentOf(caller, named)
  if (isConfined(caller))
    throw new AppError(
      'scope_violation',
      'rows of tables belong to all agents, projects and authors; use a credential that is not confined',
    )
  return surveysOf(daemon).ask('sample', table, { limit, offset })
}
