import { setImmediate as nextTurn } from 'node:timers/promises'
import { noteUnsupported } from '../../../memory/records/holders.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { transactionChunks } from './write-artifact.js'

export type PurgeDeps = Pick<Daemon, 'store' | 'artifactIndex' | 'clock' | 'newId'>

/** Number of latest changes whose removals the newest snapshot of the index may not contain yet. */
const overlap = 1000
const dropRows = 200

/** Deletes the rows of removed chunks once a snapshot of the index contains their removal. */
export async function dropIndexedRemovals({ store, artifactIndex }: PurgeDeps): Promise<void> {
  const { saved } = await artifactIndex.stats()
  while ((await store.tables.sourceChunks.dropRemoved(saved - overlap, dropRows)) === dropRows)
    await nextTurn()
}

const batchSize = 20

/**
 * Deletes the artifacts of a source that are marked as removed: first their chunks, in slices, then the row
 * with its text. After a kill or an abort the rest is still marked.
 */
export async function purgeRemoved(deps: PurgeDeps, sourceId: string, signal?: AbortSignal): Promise<void> {
  const { store, artifactIndex } = deps
  while (!signal?.aborted) {
    const ids = await store.tables.sourceArtifacts.removedOf(sourceId, batchSize)
    if (ids.length === 0) return
    const changed = await store.write(
      { until: 'committed', shared: true, rows: transactionChunks },
      async tables => {
        const first = (await tables.meta.lastChange()) + 1
        let left = transactionChunks
        for (const id of ids) {
          const last = await tables.sourceChunks.lastOf(id)
          const count = Math.min(last + 1, left)
          if (count > 0) {
            const firstChange = await tables.meta.nextChanges(count)
            await tables.sourceChunks.markRemoved(id, { from: last + 1 - count, limit: count }, firstChange)
            left -= count
          }
          if (count <= last) break
          // An import as a whole queues the review of its facts.
          if (!sourceId.startsWith('import:')) await noteUnsupported(deps, tables, [id], { kind: 'artifact' })
          await tables.sourceArtifacts.drop(id)
        }
        return { first, last: await tables.meta.lastChange() }
      },
    )
    if (changed.last >= changed.first)
      await artifactIndex.apply(await store.tables.sourceChunks.changedBetween(changed.first, changed.last))
    await nextTurn()
  }
}
