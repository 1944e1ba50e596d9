import { AppError, notFound } from '../../../../contract/ground/errors.js'
import { quoted } from '../../../../lib/text/clip.js'
import type { ImportFileRow } from '../../../../store/tables/knowledge/import-files.js'
import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import { agentOf, type NamedAgent } from '../../../ground/visibility/boundary.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

/**
 * Returns the agent of a request; undefined if neither request nor credential names one.
 * @throws AppError `scope_violation` for a confined credential: imports contain conversations of any project
 * and user
 */
export function importAgent(caller: Caller, query: NamedAgent | undefined): string | undefined {
  const { project, user } = caller.access.scope
  if (project !== undefined || user !== undefined)
    throw new AppError(
      'scope_violation',
      `this credential is confined to one ${project === undefined ? 'user' : 'project'}; imports contain conversations of all`,
    )
  return agentOf(caller, query)
}

/**
 * Returns an import visible to the caller.
 * @throws AppError `not_found` if it is unknown or belongs to another agent
 */
export async function findImport(
  { store }: Pick<Daemon, 'store'>,
  caller: Caller,
  query: NamedAgent,
  jobId: string,
): Promise<ImportRow> {
  const agent = importAgent(caller, query)
  const row = await store.tables.imports.find(jobId)
  if (!row || (agent !== undefined && row.agent_id !== agent))
    throw notFound(`import ${quoted(jobId)} not found`, 'see memory imports list')
  return row
}

/** @throws AppError `not_found` */
export async function findImportFile(
  { store }: Pick<Daemon, 'store'>,
  { id }: Pick<ImportRow, 'id'>,
  fileId: string,
): Promise<ImportFileRow> {
  const row = await store.tables.importFiles.find(id, fileId)
  if (!row) throw new AppError('not_found', `the import ${id} has no file ${quoted(fileId)}`)
  return row
}
