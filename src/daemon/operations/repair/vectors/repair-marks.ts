import { byId, pagesOf } from '../../../../lib/workspace/pages-of.js'
import type { MemoryFlags } from '../../../../store/tables/memory/vector-shapes.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store'>

const pageSize = 500

/** Corrects the vector mark of memories that have a vector but no mark, or the reverse. @returns how many */
export function repairVectorMarks(deps: Deps, signal: AbortSignal, dryRun: boolean): Promise<number> {
  return repairEach(deps, signal, async ({ id, marked, model, isMismarked }) => {
    if (!isMismarked || dryRun) return isMismarked
    await deps.store.transaction(async ({ memories, meta }) => {
      await memories.setEmbeddingModel(id, marked ? null : model, await meta.nextChange())
    })
    return true
  })
}

/** Corrects wrong holder counts. @returns how many */
export function repairHolderCounts(deps: Deps, signal: AbortSignal, dryRun: boolean): Promise<number> {
  return repairEach(deps, signal, async ({ id, isMiscounted }) => {
    if (!isMiscounted || dryRun) return isMiscounted
    await deps.store.transaction(async ({ holders, meta }) => holders.recount(id, await meta.nextChange()))
    return true
  })
}

async function repairEach(
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
