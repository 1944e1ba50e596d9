import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.js'

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

export function vectorsTable(db: Kysely<Schema>) {
  return {
    put: async ({ memoryId, provider, model, vector }: StoredVector, now: string): Promise<void> => {
      const row = { provider, model, dimensions: vector.length, vector: toBytes(vector), created_at: now }
      await db
        .insertInto('memory_vectors')
        .values({ memory_id: memoryId, ...row })
        .onConflict(conflict => conflict.column('memory_id').doUpdateSet(row))
        .execute()
    },
    /** Vectors of one model by memory id; missing ids are absent. */
    of: async (
      ids: readonly string[],
      { provider, model }: VectorModel,
    ): Promise<Map<string, Float32Array>> => {
      if (ids.length === 0) return new Map()
      const rows = await db
        .selectFrom('memory_vectors')
        .select(['memory_id', 'vector'])
        .where('memory_id', 'in', [...ids])
        .where('provider', '=', provider)
        .where('model', '=', model)
        .execute()
      return new Map(rows.map(row => [row.memory_id, fromBytes(row.vector)]))
    },
    /** Alive memories that have no vector of this model. */
    countMissing: async ({ provider, model }: VectorModel): Promise<number> => {
      const { count } = await db
        .selectFrom('memories')
        .leftJoin('memory_vectors', join =>
          join
            .onRef('memory_vectors.memory_id', '=', 'memories.id')
            .on('memory_vectors.provider', '=', provider)
            .on('memory_vectors.model', '=', model),
        )
        .select(sql<number>`count(*)`.as('count'))
        .where('memories.is_deleted', '=', 0)
        .where('memory_vectors.memory_id', 'is', null)
        .executeTakeFirstOrThrow()
      return count
    },
  }
}

function toBytes(vector: Float32Array): Uint8Array {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
}

function fromBytes(bytes: Uint8Array): Float32Array {
  // A copy: blobs need not start at a multiple of four.
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}
