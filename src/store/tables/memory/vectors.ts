import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { flag, listOf, numberColumn, rowNumber, thenJoin } from '../../sql/dialect.js'
import { fixedStatement } from '../../sql/fixed-statement.js'
import { insertRows } from '../../sql/insert-rows.js'
import { aliveCount } from './memory-lists.js'

export interface StoredVector {
  memoryId: string
  /** The number of the memory's row, where it is known. */
  number?: number
  provider: string
  model: string
  vector: Float32Array
}

/** Vectors count as present only if this model made them. */
export interface VectorModel {
  provider: string
  model: string
}

/** Compares models, as vectors of different models are not comparable. */
export function sameModel(a: VectorModel, b: VectorModel): boolean {
  return a.provider === b.provider && a.model === b.model
}

/**
 * Matches the vector `v` of a memory. It has the row number of the memory, so that no index of ids is needed;
 * the id shows whose it is where another program changed the rows.
 * @param memory the table or its alias
 */
export function isVectorOf(memory: 'memories' | 'm'): RawBuilder<SqlBool> {
  return sql`${rowNumber('v')} = ${rowNumber(memory)} AND v.memory_id = ${sql.ref(`${memory}.id`)}`
}

/** Position in a walk through the memories, newest first. */
export interface MemoryCursor {
  createdAt: string
  id: string
}

export function vectorsTable(db: Kysely<Schema>) {
  /** Counts live memories without a vector of this model. */
  const countMissing = async (model: VectorModel): Promise<number> => {
    // Counts in indexes instead of joining all rows; forgotten memories with vectors are few.
    const { missing } = await db
      .selectNoFrom([
        sql<number>`${aliveCount} - ${countOf(model)}
          + (SELECT count(*) FROM memories m ${thenJoin} memory_vectors v ON ${isVectorOf('m')}
              WHERE m.is_deleted = 1 AND v.provider = ${model.provider} AND v.model = ${model.model})`.as(
          'missing',
        ),
      ])
      .executeTakeFirstOrThrow()
    return missing
  }
  const numbers = fixedStatement<readonly string[], { id: string; number: number }>(
    db,
    ({ rows }) => sql`SELECT memories.id, ${rowNumber('memories')} AS number
      FROM (SELECT value FROM ${rows(ids => ids, 'listed')}) wanted
      ${thenJoin} memories ON memories.id = wanted.value`,
  )
  return {
    /** Stores vectors of stored memories; each takes the place of an earlier one of its memory. */
    put: async (vectors: readonly StoredVector[], now: string): Promise<void> => {
      if (vectors.length === 0) return
      const unplaced = vectors.flatMap(({ memoryId, number }) => (number === undefined ? memoryId : []))
      const found = unplaced.length > 0 ? await numbers(unplaced) : []
      const places = new Map(found.map(({ id, number }) => [id, number]))
      const placed = vectors.flatMap(
        ({ memoryId, number = places.get(memoryId), provider, model, vector }) => {
          if (number === undefined) return []
          const bytes = { dimensions: vector.length, vector: toBytes(vector) }
          return { [numberColumn]: number, memory_id: memoryId, provider, model, ...bytes, created_at: now }
        },
      )
      await insertRows(db, 'memory_vectors', placed, { onConflict: { key: numberColumn } })
    },
    /** Returns vectors of one model by memory id; ids without one are absent. */
    of: async (
      ids: readonly string[],
      { provider, model }: VectorModel,
    ): Promise<Map<string, Float32Array>> => {
      if (ids.length === 0) return new Map()
      // Raw SQL with one list parameter stays prepared, because every recall runs it.
      const { rows } = await sql<{ memory_id: string; vector: Uint8Array }>`SELECT v.memory_id, v.vector
        FROM memories ${thenJoin} memory_vectors v ON ${isVectorOf('memories')}
        WHERE memories.id IN ${listOf(ids)} AND v.provider = ${provider} AND v.model = ${model}`.execute(db)
      return new Map(rows.map(row => [row.memory_id, fromBytes(row.vector)]))
    },
    /** Returns the vectors of memories, of any model, by memory id. */
    stored: async (ids: readonly string[]): Promise<Map<string, StoredVector & { dimensions: number }>> => {
      if (ids.length === 0) return new Map()
      const rows = await db
        .selectFrom('memories')
        .innerJoin('memory_vectors as v', join => join.on(isVectorOf('memories')))
        .select(['v.memory_id', 'v.provider', 'v.model', 'v.dimensions', 'v.vector'])
        .where('memories.id', 'in', [...ids])
        .execute()
      return new Map(
        rows.map(({ memory_id: memoryId, provider, model, dimensions, vector }) => [
          memoryId,
          { memoryId, provider, model, dimensions, vector: fromBytes(vector) },
        ]),
      )
    },
    remove: async (memoryId: string): Promise<void> => {
      await removeVectors(db, [memoryId])
    },
    countMissing,
    /**
     * Returns whether a live memory without an open or dead job may lack a vector of this model. Counts in
     * indexes, because `memoriesToEmbed` has to read every row.
     */
    mayHaveGaps: async (model: VectorModel, kind: string): Promise<boolean> => {
      const missing = await countMissing(model)
      if (missing === 0) return false
      const { blocked } = await db
        .selectFrom('jobs')
        .innerJoin('memories', 'memories.id', 'jobs.subject')
        .select(eb => eb.fn.count<number>('jobs.subject').distinct().as('blocked'))
        .where('jobs.kind', '=', kind)
        .where('jobs.status', 'in', blocking)
        .where('memories.is_deleted', '=', 0)
        .where('memories.visibility', '!=', 'archived')
        .where(lacksVector(model))
        .executeTakeFirstOrThrow()
      return missing > blocked
    },
    /**
     * Scans the next `limit` live memories after a cursor, newest first.
     * @returns those without a vector of this model and without an open or dead job, and the next cursor;
     * undefined at the end.
     */
    memoriesToEmbed: async (
      model: VectorModel,
      kind: string,
      limit: number,
      after?: MemoryCursor,
    ): Promise<{ ids: string[]; next: MemoryCursor | undefined }> => {
      const rows = await db
        .selectFrom('memories')
        .select(['id', 'created_at', flag(isGap(model, kind)).as('gap')])
        .where('is_deleted', '=', 0)
        .$if(after !== undefined, query =>
          query.where(sql<boolean>`(created_at, id) < (${after?.createdAt}, ${after?.id})`),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      const last = rows.length === limit ? rows.at(-1) : undefined
      return {
        ids: rows.filter(({ gap }) => gap === 1).map(({ id }) => id),
        next: last && { createdAt: last.created_at, id: last.id },
      }
    },
  }
}

/** Removes the vectors of memories. @returns how many there were */
export async function removeVectors(db: Kysely<Schema>, ids: readonly string[]): Promise<number> {
  const { numAffectedRows = 0n } =
    await sql`DELETE FROM memory_vectors WHERE ${rowNumber('memory_vectors')} IN
    (SELECT ${rowNumber('memories')} FROM memories WHERE id IN ${listOf(ids)})`.execute(db)
  return Number(numAffectedRows)
}

/** Reads the number of vectors of one model, which triggers keep. */
function countOf({ provider, model }: VectorModel) {
  return sql<number>`COALESCE((SELECT CAST(value AS INTEGER) FROM meta
    WHERE key = ${`vectors ${provider} ${model}`}), 0)`
}

/** Job states that make a further job unnecessary. */
const blocking = ['pending', 'leased', 'dead']

/** Archived rows get no vector, because they are not searched. */
function isGap(model: VectorModel, kind: string) {
  return sql`visibility <> 'archived' AND ${lacksVector(model)} AND ${lacksJob(kind)}`
}

function lacksVector({ provider, model }: VectorModel) {
  return sql<boolean>`NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE ${isVectorOf('memories')} AND v.provider = ${provider} AND v.model = ${model})`
}

function lacksJob(kind: string) {
  return sql<boolean>`NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = ${kind} AND j.subject = memories.id AND j.status IN (${sql.join(blocking)}))`
}

/** Returns the bytes of a vector for its column. */
export function toBytes(vector: Float32Array): Uint8Array {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** Returns the vector of a column, without copying when its offset is a multiple of four. */
export function fromBytes({ buffer, byteOffset, byteLength }: Uint8Array): Float32Array {
  return byteOffset % 4 === 0
    ? new Float32Array(buffer, byteOffset, byteLength / 4)
    : new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength))
}
