import { contentHash, storageContent } from '../../../memory/records/normalise-content.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

/**
 * Whether one of some memories has the text of another agent's row of its space under a hash that is not of it: two rows
 * that should be one must not both be given vectors. @returns what is wrong, without a word of either.
 */
export async function hashConflict(
  { store }: Pick<Daemon, 'store'>,
  ids: readonly string[],
): Promise<string | undefined> {
  for (const row of await store.tables.memories.load(ids)) {
    const hash = contentHash(storageContent(row.content))
    if (hash === row.content_hash) continue
    const others = await store.tables.memories.load(await store.tables.duplicates.withHash(hash, 10))
    const other = others.find(one => one.hash_space === row.hash_space && one.agent_id !== row.agent_id)
    if (other)
      return `the memories ${row.id} and ${other.id} of two agents have one text, and the hash of one is wrong; deduplicate first`
  }
  return undefined
}
