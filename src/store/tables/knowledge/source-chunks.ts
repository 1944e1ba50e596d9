import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { SourceChunksTable } from '../../schema/source-schema.js'
import { flag, listOf, pairsOf, thenJoin } from '../../sql/dialect.js'
import { hasAtLeast } from '../../sql/sized.js'
import { fromBytes, toBytes, type VectorModel } from '../memory/vectors.js'

export type SourceChunkRow = Selectable<SourceChunksTable>
export type NewSourceChunk = Insertable<SourceChunksTable>

/**
 * A passage with its artifact's and source's fields for the index; `alive` is 0 for passages hidden from
 * search.
 */
export interface SourceChunkToIndex extends SourceChunkRow {
  agent_id: string | null
  source_kind: string | null
  artifact_path: string | null
  title: string | null
  names: string | null
  author: string | null
  source_updated_at: string | null
  alive: number
}

/** A passage in a search result. */
export interface PassageRow {
  artifact_id: string
  chunk: number
  source_id: string
  source_kind: string
  source_name: string
  agent_id: string
  path: string
  artifact_kind: string
  title: string | null
  url: string | null
  author: string | null
  heading: string | null
  page: string | null
  text: string
  source_updated_at: string | null
  updated_at: string
}

/** The key of a passage. */
export interface PassageKey {
  artifact_id: string
  chunk: number
}

/** Passages of artifacts that are searched as rows; only clean ones are (sources.md#finding). */
export function sourceChunksTable(db: Kysely<Schema>) {
  return { ...indexReads(db), ...reads(db), ...writes(db), ...vectors(db) }
}

const alive = sql<boolean>`(c.removed = 0 AND c.safety_status = 'clean')`

function chunksToIndex(db: Kysely<Schema>) {
  return db
    .selectFrom('source_chunks as c')
    .leftJoin('source_artifacts as a', 'a.id', 'c.artifact_id')
    .leftJoin('sources as s', 's.id', 'c.source_id')
    .selectAll('c')
    .select([
      's.agent_id',
      's.kind as source_kind',
      'a.path as artifact_path',
      'a.title',
      'a.names',
      'a.author',
      'a.source_updated_at',
    ])
    .select(flag(alive).as('alive'))
}

function indexReads(db: Kysely<Schema>) {
  const toIndex = () => chunksToIndex(db)
  return {
    /** Returns the newest passages before a change, newest first. */
    beforeChange: (change: number, limit: number): Promise<SourceChunkToIndex[]> =>
      toIndex().where('c.change', '<', change).orderBy('c.change', 'desc').limit(limit).execute(),
    /** Returns the oldest passages after a change, oldest first. */
    afterChange: (change: number, limit: number): Promise<SourceChunkToIndex[]> =>
      toIndex().where('c.change', '>', change).orderBy('c.change').limit(limit).execute(),
    hasAtLeast: (count: number): Promise<boolean> => hasAtLeast(db, 'source_chunks', count),
    countAlive: async (): Promise<number> => {
      const { count } = await db
        .selectFrom('source_chunks as c')
        .select(sql<number>`count(*)`.as('count'))
        .where(sql<boolean>`c.removed = 0 AND c.safety_status = 'clean'`)
        .executeTakeFirstOrThrow()
      return count
    },
    /** Returns passages with change numbers in a range, both ends included. */
    changedBetween: (first: number, last: number): Promise<SourceChunkToIndex[]> =>
      toIndex().where('c.change', '>=', first).where('c.change', '<=', last).execute(),
    /** Returns passages of an artifact for the index, from a number on. */
    toIndexOf: (artifactId: string, from: number, limit: number): Promise<SourceChunkToIndex[]> =>
      toIndex()
        .where('c.artifact_id', '=', artifactId)
        .where('c.chunk', '>=', from)
        .orderBy('c.chunk')
        .limit(limit)
        .execute(),
  }
}

function reads(db: Kysely<Schema>) {
  return {
    /** Returns passages of an artifact in order, from a number on, removed ones included. */
    of: (artifactId: string, from: number, limit: number): Promise<SourceChunkRow[]> =>
      db
        .selectFrom('source_chunks')
        .selectAll()
        .where('artifact_id', '=', artifactId)
        .where('chunk', '>=', from)
        .orderBy('chunk')
        .limit(limit)
        .execute(),
    /** Returns the number of an artifact's last passage that is not removed; -1 if there is none. */
    lastOf: async (artifactId: string): Promise<number> => {
      const row = await db
        .selectFrom('source_chunks')
        .select('chunk')
        .where('artifact_id', '=', artifactId)
        .where('removed', '=', 0)
        .orderBy('chunk', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.chunk ?? -1
    },
    /** Returns passages for search results, only of existing artifacts and of sources of these agents. */
    found: async (places: readonly PassageKey[], agents: readonly string[]): Promise<PassageRow[]> => {
      if (places.length === 0) return []
      const { rows } =
        await sql<PassageRow>`SELECT c.artifact_id, c.chunk, c.source_id, s.kind AS source_kind,
          s.name AS source_name, s.agent_id, a.path, a.kind AS artifact_kind, a.title, a.url, a.author, c.heading,
          c.page, c.text, a.source_updated_at, a.updated_at
        FROM source_chunks c JOIN source_artifacts a ON a.id = c.artifact_id JOIN sources s ON s.id = c.source_id
        WHERE (c.artifact_id, c.chunk) IN ${keysOf(places)}
          AND c.removed = 0 AND c.safety_status = 'clean' AND a.removed = 0 AND s.removed_at IS NULL
          AND s.agent_id IN ${listOf(agents)}`.execute(db)
      return rows
    },
    /** Counts passages of a source that exist although their artifact is removed. */
    countOrphans: async (sourceId: string): Promise<number> => {
      const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM source_artifacts a
        ${thenJoin} source_chunks c ON c.artifact_id = a.id
        WHERE a.source_id = ${sourceId} AND a.removed = 1 AND c.removed = 0`.execute(db)
      return rows[0]?.count ?? 0
    },
  }
}

function writes(db: Kysely<Schema>) {
  return {
    /** Saves passages, replacing those with the same number, which need new vectors. */
    put: async (chunks: readonly NewSourceChunk[]): Promise<void> => {
      if (chunks.length === 0) return
      await db
        .insertInto('source_chunks')
        .values([...chunks])
        .onConflict(conflict =>
          conflict.columns(['artifact_id', 'chunk']).doUpdateSet(eb => ({
            heading: eb.ref('excluded.heading'),
            page: eb.ref('excluded.page'),
            text: eb.ref('excluded.text'),
            safety_status: eb.ref('excluded.safety_status'),
            embedded_by: '',
            removed: 0,
            change: eb.ref('excluded.change'),
          })),
        )
        .execute()
    },
    /** Marks up to `limit` passages of an artifact as removed, from a number on. @returns their numbers. */
    markRemoved: async (
      artifactId: string,
      { from, limit }: { from: number; limit: number },
      firstChange: number,
    ): Promise<number[]> => {
      const rows = await db
        .updateTable('source_chunks')
        .set({
          removed: 1,
          text: '',
          heading: null,
          embedded_by: '',
          change: sql`${firstChange} + chunk - ${from}`,
        })
        .where('artifact_id', '=', artifactId)
        .where('removed', '=', 0)
        .where('chunk', '>=', from)
        .where('chunk', '<', from + limit)
        .returning('chunk')
        .execute()
      await db
        .deleteFrom('source_chunk_vectors')
        .where('artifact_id', '=', artifactId)
        .where('chunk', '>=', from)
        .where('chunk', '<', from + limit)
        .execute()
      return rows.map(({ chunk }) => chunk)
    },
    /** Saves a new safety verdict on a passage. */
    judge: async ({ artifact_id, chunk }: PassageKey, status: string, change: number): Promise<void> => {
      await db
        .updateTable('source_chunks')
        .set({ safety_status: status, change })
        .where('artifact_id', '=', artifact_id)
        .where('chunk', '=', chunk)
        .execute()
    },
    /** Deletes removed passages that all indexes have processed. @returns the number deleted. */
    dropRemoved: async (upToChange: number, limit: number): Promise<number> => {
      const { numDeletedRows } = await db
        .deleteFrom('source_chunks')
        .where('change', 'in', eb =>
          eb
            .selectFrom('source_chunks')
            .select('change')
            .where(sql<boolean>`removed = 1`)
            .where('change', '<=', upToChange)
            .limit(limit),
        )
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}

function vectors(db: Kysely<Schema>) {
  const waiting = (sourceId: string, other: RawBuilder<boolean>) =>
    db
      .selectFrom('source_chunks')
      .where('source_id', '=', sourceId)
      .where(sql<boolean>`removed = 0 AND safety_status = 'clean'`)
      .where(other)
  return {
    /** Returns vectors of one model by passage. */
    vectorsOf: async (
      places: readonly PassageKey[],
      { provider, model }: VectorModel,
    ): Promise<(PassageKey & { vector: Float32Array })[]> => {
      if (places.length === 0) return []
      const { rows } = await sql<PassageKey & { vector: Uint8Array }>`SELECT artifact_id, chunk, vector
        FROM source_chunk_vectors WHERE (artifact_id, chunk) IN ${keysOf(places)}
        AND provider = ${provider} AND model = ${model}`.execute(db)
      return rows.map(row => ({ ...row, vector: fromBytes(row.vector) }))
    },
    /**
     * Saves the vector and its model; undefined means that the model refused the text.
     * @returns false when no vector was saved.
     */
    putVector: async (
      { artifact_id, chunk, change }: PassageKey & { change: number },
      { provider, model }: VectorModel,
      vector: Float32Array | undefined,
    ): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('source_chunks')
        .set({ embedded_by: `${provider}/${model}` })
        .where('artifact_id', '=', artifact_id)
        .where('chunk', '=', chunk)
        // The text may have changed since the vector was requested.
        .where('change', '=', change)
        .where('removed', '=', 0)
        .executeTakeFirstOrThrow()
      if (numUpdatedRows === 0n || !vector) return false
      const row = { provider, model, vector: toBytes(vector) }
      await db
        .insertInto('source_chunk_vectors')
        .values({ artifact_id, chunk, ...row })
        .onConflict(conflict => conflict.columns(['artifact_id', 'chunk']).doUpdateSet(row))
        .execute()
      return true
    },
    /** Copies vectors from passages of another artifact with equal texts. */
    copyVectors: async (
      fromId: string,
      toId: string,
      { from, limit }: { from: number; limit: number },
    ): Promise<void> => {
      await sql`INSERT INTO source_chunk_vectors (artifact_id, chunk, provider, model, vector)
        SELECT c.artifact_id, c.chunk, v.provider, v.model, v.vector FROM source_chunks c
        JOIN source_chunks o ON o.artifact_id = ${fromId} AND o.chunk = c.chunk
        JOIN source_chunk_vectors v ON v.artifact_id = o.artifact_id AND v.chunk = o.chunk
        WHERE c.artifact_id = ${toId} AND c.chunk >= ${from} AND c.chunk < ${from + limit}
          AND o.removed = 0 AND o.text = c.text AND o.heading IS NOT DISTINCT FROM c.heading`.execute(db)
      await sql`UPDATE source_chunks SET embedded_by = (SELECT v.provider || '/' || v.model
          FROM source_chunk_vectors v WHERE v.artifact_id = source_chunks.artifact_id AND v.chunk = source_chunks.chunk)
        WHERE artifact_id = ${toId} AND chunk >= ${from} AND chunk < ${from + limit}
          AND EXISTS (SELECT 1 FROM source_chunk_vectors v
            WHERE v.artifact_id = source_chunks.artifact_id AND v.chunk = source_chunks.chunk)`.execute(db)
    },
    /** Returns clean passages of a source for which the model was not asked for a vector yet. */
    toEmbed: async (
      sourceId: string,
      { provider, model }: VectorModel,
      limit: number,
    ): Promise<SourceChunkToIndex[]> => {
      const by = `${provider}/${model}`
      const changes: number[] = []
      for (const other of [sql<boolean>`embedded_by < ${by}`, sql<boolean>`embedded_by > ${by}`]) {
        const rows = await waiting(sourceId, other)
          .select('change')
          .limit(limit - changes.length)
          .execute()
        changes.push(...rows.map(({ change }) => change))
        if (changes.length === limit) break
      }
      return changes.length === 0 ? [] : chunksToIndex(db).where('c.change', 'in', changes).execute()
    },
    /** Returns sources with clean passages that wait for a vector of a model. */
    sourcesToEmbed: async ({ provider, model }: VectorModel): Promise<string[]> => {
      const by = `${provider}/${model}`
      const lacking = (other: RawBuilder<boolean>) => sql<boolean>`EXISTS (SELECT 1 FROM source_chunks
        WHERE source_id = sources.id AND removed = 0 AND safety_status = 'clean' AND ${other})`
      const rows = await db
        .selectFrom('sources')
        .select('id')
        .where('removed_at', 'is', null)
        .where(sql<boolean>`(${lacking(sql`embedded_by < ${by}`)} OR ${lacking(sql`embedded_by > ${by}`)})`)
        .execute()
      return rows.map(({ id }) => id)
    },
    /** Counts passages of a source that wait for a vector of a model, up to `most`. */
    countToEmbed: async (
      sourceId: string,
      { provider, model }: VectorModel,
      most: number,
    ): Promise<number> => {
      const by = `${provider}/${model}`
      const counts = [sql<boolean>`embedded_by < ${by}`, sql<boolean>`embedded_by > ${by}`].map(
        async other => {
          const { count } = await db
            .selectFrom(waiting(sourceId, other).select('change').limit(most).as('part'))
            .select(sql<number>`count(*)`.as('count'))
            .executeTakeFirstOrThrow()
          return count
        },
      )
      const [before = 0, behind = 0] = await Promise.all(counts)
      return Math.min(most, before + behind)
    },
  }
}

function keysOf(places: readonly PassageKey[]) {
  return pairsOf(places.map(({ artifact_id, chunk }) => [artifact_id, chunk] as const))
}
