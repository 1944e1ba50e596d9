import type { Reply } from '../../../contract/api.js'
import { repairs } from '../../../contract/operations/repair/repair-names.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** Counts memories without a vector of the current model. */
export async function embeddingGaps({
  store,
  embedder,
}: Pick<Daemon, 'store' | 'embedder'>): Promise<Reply<'GET /api/repair/embedding-gaps'>> {
  const { provider, model } = embedder().status()
  const total = await store.tables.memories.countAlive()
  const unembedded = Math.max(0, await store.tables.vectors.countMissing({ provider, model }))
  return {
    action: repairs['embedding-gaps'].action,
    success: true,
    affected: unembedded,
    message: `${unembedded} of ${total} memories have no vector of ${model}`,
    unembedded,
    total,
    coverage: total === 0 ? 1 : (total - unembedded) / total,
    details: { provider, model },
  }
}
