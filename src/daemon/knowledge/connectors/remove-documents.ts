import { assertNotFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { deleteDocument } from '../documents/documents.js'

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId' | 'configuration'>

/**
 * Deletes documents that still belong to the connector; documents taken over by another one stay.
 * @returns the numbers of deleted documents and memories
 * @throws AppError `mutations_frozen`
 */
export async function removeDocuments(
  deps: Deps,
  caller: Caller,
  connectorId: string,
  { ids, reason }: { ids: readonly string[]; reason: string },
): Promise<{ documents: number; memories: number }> {
  const removed = { documents: 0, memories: 0 }
  for (const id of ids) {
    const document = await deps.store.tables.documents.load(id)
    if (document?.connector_id !== connectorId || document.status === 'deleted') continue
    assertNotFrozen(deps)
    const boundary = { agents: [document.agent_id], globalOf: 'all' as const }
    const { memoriesRemoved } = await deleteDocument(deps, caller, boundary, { id, reason })
    removed.documents++
    removed.memories += memoriesRemoved
  }
  return removed
}
