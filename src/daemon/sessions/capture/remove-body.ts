import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** Rows that one statement takes; requests wait for it. */
const batchRows = 200

type Deps = Pick<Daemon, 'store' | 'transcriptIndex'>

/** Removes what captures left behind: bodies that were replaced, and what was staged by those that were given up. */
export async function removeStaleBodies(deps: Deps): Promise<void> {
  const { transcriptCaptures, transcripts } = deps.store.tables
  for (
    let row = await transcriptCaptures.withStaleBody();
    row;
    row = await transcriptCaptures.withStaleBody()
  ) {
    const stale = row.stale_body_id as string
    // A capture that was given up may have staged messages behind those of a body that is still shown.
    const [shown] = await transcripts.byBodies([stale])
    if (shown) await dropMessages(deps, stale, shown.messages)
    else await removeBody(deps, stale)
    await transcriptCaptures.update(row.id, { stale_body_id: null })
  }
}

/** Takes a body out of the search index and the database, some rows at a time. */
export async function removeBody(deps: Deps, bodyId: string): Promise<void> {
  const { meta, transcriptChunks } = deps.store.tables
  for (let from = 0; ; from += batchRows) {
    const change = await meta.nextChanges(batchRows)
    const marked = await transcriptChunks.markRemoved(bodyId, { from, limit: batchRows }, change)
    if (marked === 0) break
    await deps.transcriptIndex.update(bodyId, { from, to: from + batchRows })
    await nextTurn()
  }
  await dropMessages(deps, bodyId, 0)
}

/** Takes the messages from a position on out of a body. */
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
