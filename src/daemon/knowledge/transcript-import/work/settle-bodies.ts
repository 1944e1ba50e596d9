import { dropMessages, removeBody } from '../../../sessions/capture/remove-body.js'
import type { WorkDeps } from './lease.js'

type Deps = Pick<WorkDeps, 'store' | 'transcriptIndex'>

/** A conversation that is shown, and the chunk from which on it is new. */
export interface ShownBody {
  bodyId: string
  from: number
}

/** Lets searches find conversations that are shown. */
export async function indexBodies(
  { store, transcriptIndex }: Deps,
  bodies: readonly ShownBody[],
): Promise<void> {
  for (const { bodyId, from } of bodies) await transcriptIndex.update(bodyId, { from })
  // Losing this in a power cut only means to index again.
  await store.write({ until: 'executed' }, ({ importRecords }) =>
    importRecords.dropBodies(bodies.map(({ bodyId }) => bodyId)),
  )
}

/** Finishes what an attempt before began: what was shown goes to the index, what was not goes away. */
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
