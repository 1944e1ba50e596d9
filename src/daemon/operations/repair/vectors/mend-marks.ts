import { byId, pagesOf } from '../../../../lib/workspace/pages-of.js'
import type { MemoryFlags } from '../../../../store/tables/memory/vector-shapes.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store'>

const pageSize = 500

/** Memories that say that they have a vector and have none, or the other way round, say so from now on. @returns how many. */
export function mendVectorMarks(deps: Deps, signal: AbortSignal, dryRun: boolean): Promise<number> {
  return mendEach(deps, signal, async ({ id, marked, model, isMismarked }) => {
    if (!isMismarked || dryRun) return isMismarked
    await deps.store.transaction(async ({ memories, meta }) => {
      await memories.setEmbeddingModel(id, marked ? null : model, await meta.nextChange())
    })
    return true
  })
}

/** Memories that count other further holders than there are count them anew. @returns how many. */
export function mendHolderCounts(deps: Deps, signal: AbortSignal, dryRun: boolean): Promise<number> {
  return mendEach(deps, signal, async ({ id, isMiscounted }) => {
    if (!isMiscounted || dryRun) return isMiscounted
    await deps.store.transaction(async ({ holders, meta }) => holders.recount(id, await meta.nextChange()))
    return true
  })
}

async function mendEach(
  { store }: Deps,
  signal: AbortSignal,
  mend: (memory: MemoryFlags) => Promise<boolean>,
): Promise<number> {
  let mended = 0
  const read = store.tables.vectorShapes.marksAfter
  for await (const page of pagesOf({ from: '', limit: pageSize, read, placeOf: byId })) {
    if (signal.aborted) break
    for (const memory of page) if (await mend(memory)) mended++
  }
  return mended
}
