import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import { assertInScope } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { dropChunks } from './drop-chunks.js'
import { ingestJob } from './job.js'
import { findDocument } from './read-documents.js'

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId'>

/**
 * Deletes a document: ends its job and deletes memories that no other document links to
 * (documents.md#removing). For an already deleted document the work is repeated, because the daemon may have
 * been killed in between.
 * @throws AppError `not_found`, `scope_violation` for a document of another agent than the credential's
 */
export async function deleteDocument(
  deps: Deps,
  caller: Caller,
  boundary: ReadBoundary,
  { id, reason }: { id: string; reason: string },
): Promise<{ deleted: true; memoriesRemoved: number }> {
  await deps.store.transaction(async tables => {
    const document = await findDocument({ store: { tables } }, boundary, id)
    assertInScope(caller.access.scope, 'agent', document.agent_id)
    const now = deps.clock().toISOString()
    if (document.status !== 'deleted')
      await tables.documents.update(id, { status: 'deleted', chunk_count: 0, updated_at: now })
    await tables.documents.dropText(id)
    await tables.jobs.completeFor(ingestJob.kind, id, now)
  })
  const memoriesRemoved = await dropChunks(deps, caller, { documentId: id, keep: undefined, reason })
  return { deleted: true, memoriesRemoved }
}
