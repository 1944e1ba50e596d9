import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { flag, listOf, rowNumber, thenJoin } from '../../sql/dialect.js'
import { isVectorOf } from './vectors.js'

/** The metadata of a memory's vector, without the vector. */
export interface VectorMetadata {
  /** Its place in a walk through all vectors. */
  number: number
  id: string
  provider: string
  model: string
  dimensions: number
  /** Size of the stored vector. */
  bytes: number
  createdAt: string
  /** First holder of the memory; null when the memory is gone. */
  agentId: string | null
  /** The memory must not be in the index. */
  isHidden: boolean
  /** The recorded reason why no index can contain it. */
  quarantine: string | null
}

/** The vector flag and holder count of a memory's row, with whether they are right. */
export interface MemoryFlags {
  id: string
  /** The row says that it has a vector. */
  marked: boolean
  /** Model of the actual vector. */
  model: string | null
  isMismarked: boolean
  isMiscounted: boolean
}

interface Row extends Omit<VectorMetadata, 'isHidden'> {
  hidden: number
}

/** Metadata of vectors, and the vectors that no index can contain. */
export function vectorShapesTable(db: Kysely<Schema>) {
  return {
    /** Returns the next vectors after a number, in the order of their memories' rows; start with 0. */
    after: async (number: number, limit: number): Promise<VectorMetadata[]> => {
      const { rows } = await sql<Row>`
        SELECT v.number, v.memory_id AS id, v.provider, v.model, v.dimensions, v.bytes, v.created_at AS "createdAt",
          m.agent_id AS "agentId", ${flag(sql`m.is_deleted = 1 OR m.visibility = 'archived'`)} AS hidden,
          q.reason AS quarantine
        FROM (SELECT ${rowNumber('memory_vectors')} AS number, memory_id, provider, model, dimensions,
            octet_length(vector) AS bytes, created_at
          FROM memory_vectors WHERE ${rowNumber('memory_vectors')} > ${number}
          ORDER BY ${rowNumber('memory_vectors')} LIMIT ${limit}) v
        LEFT JOIN memories m ON m.id = v.memory_id
        LEFT JOIN vector_quarantine q ON q.memory_id = v.memory_id AND q.vector_created_at = v.created_at
        ORDER BY v.number`.execute(db)
      return rows.map(({ hidden, ...row }) => ({ ...row, isHidden: hidden === 1 }))
    },
    /** Records that no index can contain a vector. */
    quarantine: async (
      { id, createdAt, bytes }: Pick<VectorMetadata, 'id' | 'createdAt' | 'bytes'>,
      reason: 'oversized',
      now: string,
    ): Promise<void> => {
      const row = { vector_created_at: createdAt, reason, bytes, noted_at: now }
      await db
        .insertInto('vector_quarantine')
        .values({ memory_id: id, ...row })
        .onConflict(conflict => conflict.column('memory_id').doUpdateSet(row))
        .execute()
    },
    /**
     * Returns the next memories after an id. `isGap`: a live memory without a vector of this model; the
     * vectors themselves are not checked.
     */
    gapsAfter: async (
      id: string,
      { provider, model }: { provider: string; model: string },
      limit: number,
    ): Promise<{ id: string; isGap: boolean; isEmbedded: boolean }[]> => {
      const has = sql`EXISTS (SELECT 1 FROM memory_vectors v WHERE ${isVectorOf('m')}
        AND v.provider = ${provider} AND v.model = ${model})`
      const counts = sql`m.is_deleted = 0 AND m.visibility <> 'archived'`
      const { rows } = await sql<{ id: string; gap: number; embedded: number }>`SELECT m.id,
          ${flag(sql`${counts} AND NOT ${has}`)} AS gap, ${flag(sql`${counts} AND ${has}`)} AS embedded
        FROM memories m WHERE m.id > ${id} ORDER BY m.id LIMIT ${limit}`.execute(db)
      return rows.map(row => ({ id: row.id, isGap: row.gap === 1, isEmbedded: row.embedded === 1 }))
    },
    /** Returns the next memories after an id, forgotten ones included, with their flags checked. */
    marksAfter: async (id: string, limit: number): Promise<MemoryFlags[]> => {
      const { rows } = await sql<{ id: string; marked: number; model: string | null; miscounted: number }>`
        SELECT m.id, ${flag(sql`m.embedding_model IS NOT NULL`)} AS marked,
          (SELECT v.model FROM memory_vectors v WHERE ${isVectorOf('m')}) AS model,
          ${flag(sql`m.further_holders <> (SELECT count(*) FROM memory_holders h WHERE h.memory_id = m.id)`)} AS miscounted
        FROM memories m WHERE m.id > ${id} ORDER BY m.id LIMIT ${limit}`.execute(db)
      return rows.map(({ marked, miscounted, ...row }) => ({
        ...row,
        marked: marked === 1,
        isMismarked: (marked === 1) !== (row.model !== null),
        isMiscounted: miscounted === 1,
      }))
    },
    /** Returns vectors for a check; those larger than `maxBytes` are not read. */
    read: async (
      ids: readonly string[],
      maxBytes: number,
    ): Promise<{ memory_id: string; dimensions: number; bytes: number; vector: Uint8Array | null }[]> => {
      const { rows } = await sql<{
        memory_id: string
        dimensions: number
        bytes: number
        vector: Uint8Array | null
      }>`SELECT v.memory_id, v.dimensions, octet_length(v.vector) AS bytes,
          CASE WHEN octet_length(v.vector) <= ${maxBytes} THEN v.vector END AS vector
        FROM memories m ${thenJoin} memory_vectors v ON ${isVectorOf('m')} WHERE m.id IN ${listOf(ids)}`.execute(
        db,
      )
      return rows
    },
  }
}
