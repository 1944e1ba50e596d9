import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { byIndex, flag, rowNumber, thenJoin, unindexed } from '../../sql/dialect.js'
import { packedHash } from '../../sql/packed.js'
import { memoryBytes } from '../../sql/sized.js'
import { fromBytes } from '../memory/vectors.js'

/** Of a longer text the hash is not made anew. */
const maxContentBytes = 256 * 1024
/** Bytes of a vector that are read; a longer one is no vector of ours. */
const maxVectorBytes = 256 * 1024

/** What a memory says of itself, and what is there. */
export interface MemoryFacts {
  /** Its number in the table. */
  place: number
  id: string
  /** Null for one that is too long to be looked at. */
  content: string | null
  content_hash: string
  hash_space: string
  type: string
  is_deleted: 0 | 1
  visibility: string
  change: number
  /** Further holders that it counts, and those that there are. */
  further_holders: number
  holders: number
  /** Whether it says that it has a vector, and whether there is one. */
  marked: 0 | 1
  has_vector: 0 | 1
}

/** A memory by the hash of its text, and where that is unique. */
export interface HashPlace {
  id: string
  hash: string
  space: string
}

export interface VectorFacts {
  place: number
  memory_id: string
  provider: string
  model: string
  dimensions: number
  bytes: number
  /** Null for one that is too long to be one of ours. */
  vector: Uint8Array | null
}

/** Rows of memories and vectors as they stand, a stretch at a time, for who looks whether they hold together. */
export function rowDamageTable(db: Kysely<Schema>) {
  return {
    /** The next memories, forgotten ones included, in the order of their rows; 0 begins. */
    memories: async (after: number, limit: number): Promise<MemoryFacts[]> => {
      const { rows } = await sql<MemoryFacts>`SELECT ${rowNumber('memories')} AS place, id,
          CASE WHEN ${memoryBytes} <= ${maxContentBytes} THEN content END AS content, content_hash, hash_space,
          type, is_deleted, visibility, change, further_holders,
          (SELECT count(*) FROM memory_holders h WHERE h.memory_id = memories.id) AS holders,
          ${flag(sql`embedding_model IS NOT NULL`)} AS marked,
          ${flag(sql`EXISTS (SELECT 1 FROM memory_vectors v WHERE v.memory_id = memories.id)`)} AS has_vector
        FROM memories WHERE ${rowNumber('memories')} > ${after}
        ORDER BY ${rowNumber('memories')} LIMIT ${limit}`.execute(db)
      return rows
    },
    /** The next vectors in the order of their rows; 0 begins. */
    vectors: async (after: number, limit: number): Promise<VectorFacts[]> => {
      const { rows } =
        await sql<VectorFacts>`SELECT ${rowNumber('memory_vectors')} AS place, memory_id, provider,
          model, dimensions, octet_length(vector) AS bytes,
          CASE WHEN octet_length(vector) <= ${maxVectorBytes} THEN vector END AS vector
        FROM memory_vectors WHERE ${rowNumber('memory_vectors')} > ${after}
        ORDER BY ${rowNumber('memory_vectors')} LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Of some pairs of a hash and its space, those that an alive row stands under. */
    known: async (pairs: readonly HashPlace[]): Promise<HashPlace[]> => {
      const found: HashPlace[] = []
      for (const { hash, space } of pairs) {
        const { rows } = await sql<HashPlace>`SELECT id, content_hash AS hash, hash_space AS space
          FROM ${byIndex('memories', 'memories_hash')}
          WHERE is_deleted = 0 AND content_hash = ${packedHash(hash)} AND hash_space = ${space}`.execute(db)
        found.push(...rows)
      }
      return found
    },
    /** Ids that the index must hold, in their order; '' begins. */
    aliveIds: async (after: string, limit: number): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`SELECT id FROM memories
        WHERE id > ${after} AND ${unindexed('is_deleted')} = 0 AND ${unindexed('visibility')} <> 'archived'
        ORDER BY id LIMIT ${limit}`.execute(db)
      return rows.map(({ id }) => id)
    },
    /** Entities whose count of mentions is not that of the memories that mention them; '' begins. */
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
    /** Values in force without any quote that they rest on; '' begins. */
    values: async (after: string, limit: number): Promise<{ id: string; groundless: 0 | 1 }[]> => {
      const { rows } = await sql<{ id: string; groundless: 0 | 1 }>`SELECT v.id,
          ${flag(sql`v.status = 'current' AND NOT EXISTS (SELECT 1 FROM evidence_spans s WHERE s.subject_id = v.id)
            AND NOT EXISTS (SELECT 1 FROM claim_premises p WHERE p.version_id = v.id)`)} AS groundless
        FROM claim_versions v WHERE v.id > ${after} ORDER BY v.id LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Vectors by their model and length. */
    vectorModels: async (): Promise<
      { provider: string; model: string; dimensions: number; count: number }[]
    > => {
      const { rows } = await sql<{ provider: string; model: string; dimensions: number; count: number }>`
        SELECT v.provider, v.model, v.dimensions, count(*) AS count
        FROM memories m ${thenJoin} memory_vectors v ON v.memory_id = m.id
        WHERE m.is_deleted = 0 AND m.visibility <> 'archived'
        GROUP BY v.provider, v.model, v.dimensions`.execute(db)
      return rows
    },
  }
}

/** Why the bytes of a vector are none of it; undefined for a sound one. */
export function vectorFault({
  dimensions,
  bytes,
  vector,
}: Pick<VectorFacts, 'dimensions' | 'bytes' | 'vector'>): string | undefined {
  if (vector === null) return `${bytes} bytes`
  if (bytes !== dimensions * 4) return `${bytes} bytes for ${dimensions} dimensions`
  let length = 0
  for (const part of fromBytes(vector)) length += part * part
  if (!Number.isFinite(length)) return 'a part of it is no number'
  return length === 0 ? 'all of it is zero' : undefined
}
