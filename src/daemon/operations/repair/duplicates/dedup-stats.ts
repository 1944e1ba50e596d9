import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reply } from '../../../../contract/api.js'
import { repairs } from '../../../../contract/operations/repair/repair-names.js'
import { countOf } from '../../../../lib/text/count-of.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { repeatedHashes } from './repeated-hashes.js'

/**
 * Counts alive memories that share a hash, whoever may read them; deduplicate decides which of them may be
 * merged.
 */
export async function dedupStats(
  { store }: Pick<Daemon, 'store'>,
  signal: AbortSignal,
): Promise<Reply<'GET /api/repair/dedup-stats'>> {
  let duplicateGroups = 0
  let duplicates = 0
  for await (const { rows } of repeatedHashes({ store }, '')) {
    duplicateGroups++
    duplicates += rows - 1
    if (signal.aborted) break
    await nextTurn()
  }
  const total = await store.tables.memories.countAlive()
  return {
    action: repairs['dedup-stats'].action,
    success: true,
    affected: duplicates,
    message: `${countOf(duplicates, 'memory', 'memories')} of ${total} have the same text as another one`,
    total,
    duplicateGroups,
    duplicates,
    details: { exactClusters: duplicateGroups, exactExcess: duplicates },
  }
}
