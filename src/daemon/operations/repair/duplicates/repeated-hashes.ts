import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reply } from '../../../../contract/api.js'
import { repairs } from '../../../../contract/operations/repair/repair-names.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { pagesOf } from '../../../../lib/workspace/pages-of.js'
import type { HashKey } from '../../../../store/tables/memory/duplicates.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

/** Hashes per statement, read from an index alone. */
const pageSize = 2000
/** Prefix of the hash spaces of archived agents, which nobody reads. */
const ownSpace = ' '

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

/** Yields hashes after a given one that several alive rows share, each once. */
export async function* repeatedHashes(
  { store }: Pick<Daemon, 'store'>,
  after: string,
): AsyncGenerator<{ hash: string; rows: number }> {
  // Sorts after every space of that hash.
  const from: HashKey = { content_hash: after, hash_space: after === '' ? '' : '\u{10FFFF}' }
  let open = { hash: '', rows: 0 }
  const read = store.tables.duplicates.hashesAfter
  for await (const page of pagesOf({ from, limit: pageSize, read, placeOf: place => place })) {
    for (const { content_hash: hash, hash_space } of page) {
      if (hash !== open.hash) {
        if (open.rows > 1) yield open
        open = { hash, rows: 0 }
      }
      if (!isArchivedSpace(hash_space)) open.rows++
    }
  }
  if (open.rows > 1) yield open
}

/** The space of a confined writer starts with the same prefix, followed by JSON. */
function isArchivedSpace(space: string): boolean {
  return space.startsWith(ownSpace) && !space.startsWith(`${ownSpace}[`)
}
