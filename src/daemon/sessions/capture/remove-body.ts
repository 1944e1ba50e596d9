import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** Rows per statement; requests wait while it runs. */
const batchRows = 200

type Deps = Pick<Daemon, 'store' | 'transcriptIndex'>

/** Removes bodies that were replaced, and rows staged by failed captures. */
export async function removeStaleBodies(deps: Deps): Promise<void> {
  const { transcriptCaptures, transcripts } = deps.store.tables
  for (
    let row = await transcriptCaptures.withStaleBody();
    row;
    row = await transcriptCaptures.withStaleBody()
  ) {
    const stale = row.stale_body_id as string
    // A failed capture may have staged messages after those of a body that is still visible.
    const [shown] = await transcripts.byBodies([stale])
    if (shown) await dropMessages(deps, stale, shown.messages)
    else await removeBody(deps, stale)
    await transcriptCaptures.update(row.id, { stale_body_id: null })
  }
}

/** Removes a body from the search index and the database, some rows at a time. */
export async function removeBody(deps: Deps, bodyId: string): Promise<void> {
  for (let from = 0; ; from += batchRows) {
    const marked = await deps.store.write({ until: 'committed' }, async ({ meta, transcriptChunks }) => {
      const change = await meta.nextChanges(batchRows)
      return transcriptChunks.markRemoved(bodyId, { from, limit: batchRows }, change)
    })
    if (marked === 0) break
    await deps.transcriptIndex.update(bodyId, { from, to: from + batchRows })
    await nextTurn()
  }
  await dropMessages(deps, bodyId, 0)
}

/** Removes the messages of a body from a position on. */
export async function dropMessages(
  { store }: Pick<Daemon, 'store'>,
  bodyId: string,
  from: number,
): Promise<void> {
  for (let at = from; ; at += batchRows) {
    const dropped = await store.tables.transcripts.dropMessages(bodyId, at, batchRows)
    if (dropped === 0) return
    await nextTurn()
  }
}
