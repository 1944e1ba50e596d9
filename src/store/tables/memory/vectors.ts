import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { listOf, thenJoin } from '../../sql/dialect.js'
import { aliveCount } from './alive-count.js'

export interface StoredVector {
  memoryId: string
  provider: string
  model: string
  vector: Float32Array
}

/** The model that vectors must come from to count as present. */
export interface VectorModel {
  provider: string
  model: string
}

/** Vectors of two models are not comparable. */
export function sameModel(a: VectorModel, b: VectorModel): boolean {
  return a.provider === b.provider && a.model === b.model
}

export function vectorsTable(db: Kysely<Schema>) {
  return {
    put: async ({ memoryId, provider, model, vector }: StoredVector, now: string): Promise<void> => {
      await sql`INSERT INTO memory_vectors (memory_id, provider, model, dimensions, vector, created_at)
        VALUES (${memoryId}, ${provider}, ${model}, ${vector.length}, ${toBytes(vector)}, ${now})
        ON CONFLICT (memory_id) DO UPDATE SET provider = excluded.provider, model = excluded.model,
          dimensions = excluded.dimensions, vector = excluded.vector, created_at = excluded.created_at`.execute(
        db,
      )
    },
    /** Vectors of one model by memory id; missing ids are absent. */
    of: async (
      ids: readonly string[],
      { provider, model }: VectorModel,
    ): Promise<Map<string, Float32Array>> => {
      if (ids.length === 0) return new Map()
      // Written as text, since every recall asks it; one parameter for any number of ids keeps it prepared.
      const { rows } = await sql<{ memory_id: string; vector: Uint8Array }>`SELECT memory_id, vector
        FROM memory_vectors WHERE memory_id IN ${listOf(ids)}
        AND provider = ${provider} AND model = ${model}`.execute(db)
      return new Map(rows.map(row => [row.memory_id, fromBytes(row.vector)]))
    },
    /** The vectors that memories have, of whatever model, by memory id. */
    stored: async (ids: readonly string[]): Promise<Map<string, StoredVector & { dimensions: number }>> => {
      if (ids.length === 0) return new Map()
      const rows = await db
        .selectFrom('memory_vectors')
        .selectAll()
        .where('memory_id', 'in', [...ids])
        .execute()
      return new Map(
        rows.map(({ memory_id: memoryId, provider, model, dimensions, vector }) => [
          memoryId,
          { memoryId, provider, model, dimensions, vector: fromBytes(vector) },
        ]),
      )
    },
    remove: async (memoryId: string): Promise<void> => {
      await db.deleteFrom('memory_vectors').where('memory_id', '=', memoryId).execute()
    },
    /** Alive memories that have no vector of this model. */
    countMissing: async (model: VectorModel): Promise<number> => {
      // Counts inside indexes instead of one join over all rows; the vectors of forgotten memories are few.
      const { missing } = await db
        .selectNoFrom([
          sql<number>`${aliveCount} - ${countOf(model)}
            + (SELECT count(*) FROM memories m ${thenJoin} memory_vectors v ON v.memory_id = m.id
                WHERE m.is_deleted = 1 AND v.provider = ${model.provider} AND v.model = ${model.model})`.as(
            'missing',
          ),
        ])
        .executeTakeFirstOrThrow()
      return missing
    },
  }
}

/** Vectors of one model: all of them without the others, since SQLite counts a whole table many times faster than a part. */
function countOf({ provider, model }: VectorModel) {
  const others = [
    sql`provider < ${provider}`,
    sql`provider > ${provider}`,
    sql`provider = ${provider} AND model < ${model}`,
    sql`provider = ${provider} AND model > ${model}`,
  ].map(condition => sql`(SELECT count(*) FROM memory_vectors WHERE ${condition})`)
  return sql<number>`(CASE
    WHEN EXISTS (SELECT 1 FROM memory_vectors WHERE provider = ${provider} AND model = ${model})
    THEN (SELECT count(*) FROM memory_vectors) - ${sql.join(others, sql` - `)}
    ELSE 0 END)`
}

/** A vector as the bytes of its column. */
export function toBytes(vector: Float32Array): Uint8Array {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** The vector in a column: the blob's own memory where it starts at a multiple of four. */
export function fromBytes({ buffer, byteOffset, byteLength }: Uint8Array): Float32Array {
  return byteOffset % 4 === 0
    ? new Float32Array(buffer, byteOffset, byteLength / 4)
    : new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength))
}
