import type { ClaimRow, ClaimVersionRow } from '../../../../store/tables/knowledge/claims.js'
import type { Work } from './operation.js'

/**
 * The claim version that an operation is about: one of the agent, that its reader may be told, and of the project that
 * the evidence is of. Evidence of no project goes with any.
 */
export async function findVersion(
  { tables, reader: { agentId, boundary }, evidence }: Pick<Work, 'tables' | 'reader' | 'evidence'>,
  id: string,
): Promise<{ version: ClaimVersionRow; claim: ClaimRow } | { fault: string }> {
  const told = await tables.claims.toldVersions([id], boundary)
  const found = told.has(id) ? await tables.claims.version(agentId, id) : undefined
  if (!found) return { fault: 'version_not_found' }
  const isHere = evidence.project === null || evidence.project === found.version.project
  return isHere ? found : { fault: 'version_of_other_project' }
}
