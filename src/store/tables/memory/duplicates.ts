import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { byIndex, unindexed } from '../../sql/dialect.js'
import { packedHash } from '../../sql/packed.js'
import { memoryBytes } from '../../sql/sized.js'

/** A key of the hash index. */
export interface HashKey {
  content_hash: string
  hash_space: string
}

/** Finds live memories that may be duplicates. */
export function duplicatesTable(db: Kysely<Schema>) {
  const byHash = byIndex('memories', 'memories_hash')
  return {
    /** Returns hashes of live rows after one, in order and from the index alone; equal ones are adjacent. */
    hashesAfter: async ({ content_hash, hash_space }: HashKey, limit: number): Promise<HashKey[]> => {
      const { rows } = await sql<HashKey>`SELECT content_hash, hash_space FROM ${byHash}
        WHERE is_deleted = 0 AND (content_hash, hash_space) > (${packedHash(content_hash)}, ${hash_space})
        ORDER BY content_hash, hash_space LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Returns ids of live, unarchived rows with a hash, oldest first. */
    withHash: async (hash: string, limit: number): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`SELECT id FROM ${byHash}
        WHERE is_deleted = 0 AND content_hash = ${packedHash(hash)} AND visibility <> 'archived'
        ORDER BY created_at, id LIMIT ${limit}`.execute(db)
      return rows.map(({ id }) => id)
    },
    /**
     * Returns the next memories after an id with their text sizes. `counts` is false for chunks of documents
     * and for forgotten or archived rows.
     */
    textsAfter: async (
      id: string,
      limit: number,
    ): Promise<{ id: string; bytes: number; counts: boolean }[]> => {
      const { rows } = await sql<{
        id: string
        bytes: number
        counts: number
      }>`SELECT id, ${memoryBytes} AS bytes,
          CASE WHEN is_deleted = 0 AND visibility <> 'archived' AND type <> 'document_chunk' THEN 1 ELSE 0 END AS counts
        FROM memories WHERE id > ${id} ORDER BY id LIMIT ${limit}`.execute(db)
      return rows.map(row => ({ ...row, counts: row.counts === 1 }))
    },
    /** Corrects the hash of a forgotten row; live rows have theirs from their save. */
    setHash: async (id: string, hash: string): Promise<void> => {
      await db
        .updateTable('memories')
        .set({ content_hash: packedHash(hash) })
        .where('id', '=', id)
        .where(unindexed<number>('is_deleted'), '=', 1)
        .execute()
    },
  }
}
