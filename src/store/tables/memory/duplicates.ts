import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { byIndex, unindexed } from '../../sql/dialect.js'
import { packedHash } from '../../sql/packed.js'
import { memoryBytes } from '../../sql/sized.js'

/** A hash as the index of hashes has it. */
export interface HashPlace {
  content_hash: string
  hash_space: string
}

/** Alive memories that may say the same. */
export function duplicatesTable(db: Kysely<Schema>) {
  const byHash = byIndex('memories', 'memories_hash')
  return {
    /** Hashes of alive rows in their order, behind one: an index alone is read. Equal ones stand beside each other. */
    hashesAfter: async ({ content_hash, hash_space }: HashPlace, limit: number): Promise<HashPlace[]> => {
      const { rows } = await sql<HashPlace>`SELECT content_hash, hash_space FROM ${byHash}
        WHERE is_deleted = 0 AND (content_hash, hash_space) > (${packedHash(content_hash)}, ${hash_space})
        ORDER BY content_hash, hash_space LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Ids of alive rows with a hash that somebody may read, oldest first. */
    withHash: async (hash: string, limit: number): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`SELECT id FROM ${byHash}
        WHERE is_deleted = 0 AND content_hash = ${packedHash(hash)} AND visibility <> 'archived'
        ORDER BY created_at, id LIMIT ${limit}`.execute(db)
      return rows.map(({ id }) => id)
    },
    /**
     * The next memories behind an id, with the size of their texts. Chunks of documents, and what nobody may read, do not
     * count.
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
    /** Writes the hash that a text has, of a row that is forgotten: alive ones have theirs from their save. */
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
