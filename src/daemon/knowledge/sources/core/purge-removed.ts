import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { transactionChunks } from './write-artifact.js'

export type PurgeDeps = Pick<Daemon, 'store' | 'artifactIndex'>

/** Removals that the newest snapshot may not hold yet. */
const overlap = 1000
const dropRows = 200

/** Once a snapshot of the index holds removals, the rows that told it of them can go. */
export async function dropGone({ store, artifactIndex }: PurgeDeps): Promise<void> {
  const { saved } = await artifactIndex.stats()
  while ((await store.tables.sourceChunks.dropRemoved(saved - overlap, dropRows)) === dropRows)
    await nextTurn()
}

/** Artifacts that are looked at together. */
const batchSize = 20

/**
 * Takes the artifacts of a source away that are marked as gone: chunks first, in slices, then the row with its text. What
 * a kill or an abort leaves is marked still.
 */
export async function purgeRemoved(
  { store, artifactIndex }: PurgeDeps,
  sourceId: string,
  signal?: AbortSignal,
): Promise<void> {
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
