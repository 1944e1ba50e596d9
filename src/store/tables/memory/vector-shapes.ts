import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { flag, listOf } from '../../sql/dialect.js'

/** A memory's vector as its row tells of it, without the vector being read. */
export interface VectorShape {
  id: string
  provider: string
  model: string
  dimensions: number
  /** Of the vector as it is stored. */
  bytes: number
  createdAt: string
  /** First holder of the memory; null where the memory is gone. */
  agentId: string | null
  /** Whether the index must hold nothing of the memory. */
  isHidden: boolean
  /** Why no index can hold it, where that was noted. */
  quarantine: string | null
}

/** What a memory's row says of its vector and its further holders, and whether that is so. */
export interface MarkedMemory {
  id: string
  /** Whether it says that it has a vector. */
  marked: boolean
  /** Of the vector that there is. */
  model: string | null
  isMismarked: boolean
  isMiscounted: boolean
}

interface Row extends Omit<VectorShape, 'isHidden'> {
  hidden: number
}

/** Vectors by what they look like, and those that no index can hold. */
export function vectorShapesTable(db: Kysely<Schema>) {
  return {
    /** The next vectors behind a memory, in the order of their memories. */
    after: async (id: string, limit: number): Promise<VectorShape[]> => {
      const { rows } = await sql<Row>`
        SELECT v.memory_id AS id, v.provider, v.model, v.dimensions, v.bytes, v.created_at AS "createdAt",
          m.agent_id AS "agentId", ${flag(sql`m.is_deleted = 1 OR m.visibility = 'archived'`)} AS hidden,
          q.reason AS quarantine
        FROM (SELECT memory_id, provider, model, dimensions, octet_length(vector) AS bytes, created_at
          FROM memory_vectors WHERE memory_id > ${id} ORDER BY memory_id LIMIT ${limit}) v
        LEFT JOIN memories m ON m.id = v.memory_id
        LEFT JOIN vector_quarantine q ON q.memory_id = v.memory_id AND q.vector_created_at = v.created_at
        ORDER BY v.memory_id`.execute(db)
      return rows.map(({ hidden, ...row }) => ({ ...row, isHidden: hidden === 1 }))
    },
    /** Notes that no index can hold a vector. */
    quarantine: async (
      { id, createdAt, bytes }: Pick<VectorShape, 'id' | 'createdAt' | 'bytes'>,
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
     * The next memories behind an id. `isGap`: it has no vector that a model made, though it should; what stands in the
     * vectors of the others is not looked at.
     */
    gapsAfter: async (
      id: string,
      { provider, model }: { provider: string; model: string },
      limit: number,
    ): Promise<{ id: string; isGap: boolean; isEmbedded: boolean }[]> => {
      const has = sql`EXISTS (SELECT 1 FROM memory_vectors v WHERE v.memory_id = m.id
        AND v.provider = ${provider} AND v.model = ${model})`
      const counts = sql`m.is_deleted = 0 AND m.visibility <> 'archived'`
      const { rows } = await sql<{ id: string; gap: number; embedded: number }>`SELECT m.id,
          ${flag(sql`${counts} AND NOT ${has}`)} AS gap, ${flag(sql`${counts} AND ${has}`)} AS embedded
        FROM memories m WHERE m.id > ${id} ORDER BY m.id LIMIT ${limit}`.execute(db)
      return rows.map(row => ({ id: row.id, isGap: row.gap === 1, isEmbedded: row.embedded === 1 }))
    },
    /** The next memories behind an id, forgotten ones included, with what their rows say. */
    marksAfter: async (id: string, limit: number): Promise<MarkedMemory[]> => {
      const { rows } = await sql<{ id: string; marked: number; model: string | null; miscounted: number }>`
        SELECT m.id, ${flag(sql`m.embedding_model IS NOT NULL`)} AS marked,
          (SELECT v.model FROM memory_vectors v WHERE v.memory_id = m.id) AS model,
          ${flag(sql`m.further_holders <> (SELECT count(*) FROM memory_holders h WHERE h.memory_id = m.id)`)} AS miscounted
        FROM memories m WHERE m.id > ${id} ORDER BY m.id LIMIT ${limit}`.execute(db)
      return rows.map(({ marked, miscounted, ...row }) => ({
        ...row,
        marked: marked === 1,
        isMismarked: (marked === 1) !== (row.model !== null),
        isMiscounted: miscounted === 1,
      }))
    },
    /** The vectors of some memories for who looks whether they are sound; one larger than `maxBytes` is not read. */
    read: async (
      ids: readonly string[],
      maxBytes: number,
    ): Promise<{ memory_id: string; dimensions: number; bytes: number; vector: Uint8Array | null }[]> => {
      const { rows } = await sql<{
        memory_id: string
        dimensions: number
        bytes: number
        vector: Uint8Array | null
      }>`SELECT memory_id, dimensions, octet_length(vector) AS bytes,
          CASE WHEN octet_length(vector) <= ${maxBytes} THEN vector END AS vector
        FROM memory_vectors WHERE memory_id IN ${listOf(ids)}`.execute(db)
      return rows
    },
  }
}
