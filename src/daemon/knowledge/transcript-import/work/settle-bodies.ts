import { dropMessages, removeBody } from '../../../sessions/capture/remove-body.js'
import type { WorkDeps } from './lease.js'

type Deps = Pick<WorkDeps, 'store' | 'transcriptIndex'>

/** A visible conversation, and its first new chunk. */
export interface VisibleBody {
  bodyId: string
  from: number
}

/** Indexes visible conversations. */
export async function indexBodies(
  { store, transcriptIndex }: Deps,
  bodies: readonly VisibleBody[],
): Promise<void> {
  for (const { bodyId, from } of bodies) await transcriptIndex.update(bodyId, { from })
  // If a power cut loses this write, the conversations are only indexed again.
  await store.write({ until: 'executed' }, ({ importRecords }) =>
    importRecords.dropBodies(bodies.map(({ bodyId }) => bodyId)),
  )
}

/** Completes an earlier attempt: indexes its visible conversations and deletes invisible ones. */
export async function settleBodies(deps: Deps, jobId: string): Promise<void> {
  const { importRecords, transcripts } = deps.store.tables
  const bodyIds = await importRecords.bodiesOf(jobId)
  const shown = await transcripts.byBodies(bodyIds)
  for (const bodyId of bodyIds) {
    const row = shown.find(({ body_id }) => body_id === bodyId)
    if (row) await dropMessages(deps, bodyId, row.messages)
    else await removeBody(deps, bodyId)
  }
  await indexBodies(
    deps,
    shown.map(({ body_id }) => ({ bodyId: body_id, from: 0 })),
  )
  await deps.store.write({ until: 'executed' }, tables => tables.importRecords.dropBodies(bodyIds))
}
