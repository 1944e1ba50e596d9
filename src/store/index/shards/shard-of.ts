/** One shard of several; the entries of a session are in one shard. */
export interface ShardPlace {
  shard: number
  of: number
}

/** The shard of an entry, by its session, or else by its id. The same in every process (FNV-1a). */
export function shardOf({ session, id }: { session: string | null; id: string }, shards: number): number {
  const key = session ?? id
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  // The low bits alone would follow those of the last letter.
  return ((hash ^ (hash >>> 15)) >>> 0) % shards
}
