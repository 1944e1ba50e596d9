import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { byIndex, flag, rowNumber, thenJoin, unindexed } from '../../sql/dialect.js'
import { packedHash } from '../../sql/packed.js'
import { memoryBytes } from '../../sql/sized.js'
import { fromBytes, isVectorOf } from '../memory/vectors.js'

/** Longer texts are not hashed again. */
const maxContentBytes = 256 * 1024
/** Bytes of a vector that are read; no valid vector is longer. */
const maxVectorBytes = 256 * 1024

/** The stored claims of a memory row and the actual counts to compare them with. */
export interface MemoryConsistencyRow {
  /** Row number. */
  place: number
  id: string
  /** Null when it is too long to check. */
  content: string | null
  content_hash: string
  hash_space: string
  type: string
  is_deleted: 0 | 1
  visibility: string
  change: number
  /** Further holders according to the row, and in the table. */
  further_holders: number
  holders: number
  /** The row's vector flag, and whether a vector exists. */
  marked: 0 | 1
  has_vector: 0 | 1
}

/** The key under which the content of a memory is unique. */
export interface MemoryHash {
  id: string
  hash: string
  space: string
}

export interface VectorConsistencyRow {
  place: number
  memory_id: string
  provider: string
  model: string
  dimensions: number
  bytes: number
  /** Null when it is longer than any valid vector. */
  vector: Uint8Array | null
}

/** Reads raw rows of memories and vectors in batches for consistency checks. */
export function rowDamageTable(db: Kysely<Schema>) {
  return {
    /** Returns the next memories in row order, forgotten ones included; start with 0. */
    memories: async (after: number, limit: number): Promise<MemoryConsistencyRow[]> => {
      const { rows } = await sql<MemoryConsistencyRow>`SELECT ${rowNumber('memories')} AS place, id,
          CASE WHEN ${memoryBytes} <= ${maxContentBytes} THEN content END AS content, content_hash, hash_space,
          type, is_deleted, visibility, change, further_holders,
          (SELECT count(*) FROM memory_holders h WHERE h.memory_id = memories.id) AS holders,
          ${flag(sql`embedding_model IS NOT NULL`)} AS marked,
          ${flag(sql`EXISTS (SELECT 1 FROM memory_vectors v WHERE ${isVectorOf('memories')})`)} AS has_vector
        FROM memories WHERE ${rowNumber('memories')} > ${after}
        ORDER BY ${rowNumber('memories')} LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Returns the next vectors in row order; start with 0. */
    vectors: async (after: number, limit: number): Promise<VectorConsistencyRow[]> => {
      const { rows } =
        await sql<VectorConsistencyRow>`SELECT ${rowNumber('memory_vectors')} AS place, memory_id, provider,
          model, dimensions, octet_length(vector) AS bytes,
          CASE WHEN octet_length(vector) <= ${maxVectorBytes} THEN vector END AS vector
        FROM memory_vectors WHERE ${rowNumber('memory_vectors')} > ${after}
        ORDER BY ${rowNumber('memory_vectors')} LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Returns the given hash keys that a live row has. */
    known: async (pairs: readonly MemoryHash[]): Promise<MemoryHash[]> => {
      const found: MemoryHash[] = []
      for (const { hash, space } of pairs) {
        const { rows } = await sql<MemoryHash>`SELECT id, content_hash AS hash, hash_space AS space
          FROM ${byIndex('memories', 'memories_hash')}
          WHERE is_deleted = 0 AND content_hash = ${packedHash(hash)} AND hash_space = ${space}`.execute(db)
        found.push(...rows)
      }
      return found
    },
    /** Returns ids that the index must contain, in order; start with ''. */
    aliveIds: async (after: string, limit: number): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`SELECT id FROM memories
        WHERE id > ${after} AND ${unindexed('is_deleted')} = 0 AND ${unindexed('visibility')} <> 'archived'
        ORDER BY id LIMIT ${limit}`.execute(db)
      return rows.map(({ id }) => id)
    },
    /** Returns entities with flags for a wrong mention count and a missing name; start with ''. */
    entities: async (
      after: string,
      limit: number,
    ): Promise<{ id: string; miscounted: 0 | 1; unnamed: 0 | 1 }[]> => {
      const { rows } = await sql<{ id: string; miscounted: 0 | 1; unnamed: 0 | 1 }>`SELECT id,
          ${flag(sql`mentions <> (SELECT count(*) FROM entity_mentions m WHERE m.entity_id = entities.id)`)} AS miscounted,
          ${flag(sql`merged_into IS NULL AND NOT EXISTS (SELECT 1 FROM entity_names n
            WHERE n.entity_id = entities.id AND n.active = 1)`)} AS unnamed
        FROM entities WHERE id > ${after} ORDER BY id LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Returns values with a flag for current ones without evidence; start with ''. */
    values: async (after: string, limit: number): Promise<{ id: string; groundless: 0 | 1 }[]> => {
      const { rows } = await sql<{ id: string; groundless: 0 | 1 }>`SELECT v.id,
          ${flag(sql`v.status = 'current' AND NOT EXISTS (SELECT 1 FROM evidence_spans s WHERE s.subject_id = v.id)
            AND NOT EXISTS (SELECT 1 FROM claim_premises p WHERE p.version_id = v.id)`)} AS groundless
        FROM claim_versions v WHERE v.id > ${after} ORDER BY v.id LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Counts vectors by model and length. */
    vectorModels: async (): Promise<
      { provider: string; model: string; dimensions: number; count: number }[]
    > => {
      const { rows } = await sql<{ provider: string; model: string; dimensions: number; count: number }>`
        SELECT v.provider, v.model, v.dimensions, count(*) AS count
        FROM memories m ${thenJoin} memory_vectors v ON ${isVectorOf('m')}
        WHERE m.is_deleted = 0 AND m.visibility <> 'archived'
        GROUP BY v.provider, v.model, v.dimensions`.execute(db)
      return rows
    },
  }
}

/** Returns why a vector's bytes are invalid; undefined for a valid one. */
export function vectorFault({
  dimensions,
  bytes,
  vector,
}: Pick<VectorConsistencyRow, 'dimensions' | 'bytes' | 'vector'>): string | undefined {
  if (vector === null) return `${bytes} bytes`
  if (bytes !== dimensions * 4) return `${bytes} bytes for ${dimensions} dimensions`
  let length = 0
  for (const part of fromBytes(vector)) length += part * part
  if (!Number.isFinite(length)) return 'a part of it is not a number'
  return length === 0 ? 'all of it is zero' : undefined
}
