import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { removeDocuments } from './remove-documents.js'

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId' | 'configuration'>

/** Rows per statement. */
const batch = 500

/**
 * Removes a connector, with `cascade` its documents first, so that an interrupted removal can be repeated
 * (connectors.md#removing). Files themselves are never touched.
 */
export async function removeConnector(
  deps: Deps,
  caller: Caller,
  { id, cascade }: { id: string; cascade: boolean },
): Promise<{ deleted: true; documentsRemoved?: number; memoriesRemoved?: number }> {
  const { connectors, connectorFiles } = deps.store.tables
  const removed = { documents: 0, memories: 0 }
  while (cascade) {
    const ids = await connectorFiles.documentsOf(id, batch)
    if (ids.length === 0) break
    const { documents, memories } = await removeDocuments(deps, caller, id, {
      ids,
      reason: 'connector removed',
    })
    removed.documents += documents
    removed.memories += memories
  }
  for (;;) {
    const files = await connectorFiles.page(id, '', batch)
    if (files.length === 0) break
    await connectorFiles.forget(
      id,
      files.map(({ path }) => path),
    )
    await nextTurn()
  }
  await connectors.remove(id)
  if (!cascade) return { deleted: true }
  return { deleted: true, documentsRemoved: removed.documents, memoriesRemoved: removed.memories }
}
