import { type Insertable, type Kysely, sql } from 'kysely'
import type { DocumentChunksTable } from '../../schema/document-schema.js'
import type { Schema } from '../../schema/schema.js'
import { byIndex, listOf, unindexed } from '../../sql/dialect.js'
import { fixedStatement } from '../../sql/fixed-statement.js'
import { packedListOf } from '../../sql/packed.js'
import { sameProject } from '../../sql/same-project.js'
import type { ReadBoundary } from '../memory/memory-filter.js'

export type NewChunkLink = Insertable<DocumentChunksTable>

/** The position of a chunk in a document, as shown in search results. */
export interface ChunkLocation {
  memory_id: string
  id: string
  title: string | null
  heading: string | null
  page: string | null
  chunk_index: number
}

export interface ChunkItem {
  id: string
  content: string
  type: string
  created_at: string
  chunk_index: number
  heading: string | null
  page: string | null
}

/**
 * Links documents to the memories of their chunks. Equal texts in two documents of one agent and project
 * share a memory.
 */
export function documentChunksTable(db: Kysely<Schema>) {
  const one = fixedStatement<undefined, unknown>(
    db,
    () => sql<unknown>`SELECT document_id FROM document_chunks LIMIT 1`,
    'document_chunks',
  )
  return {
    add: async (links: readonly NewChunkLink[]): Promise<void> => {
      await db
        .insertInto('document_chunks')
        .values([...links])
        .execute()
    },
    /** Returns whether any document has chunks. */
    any: async (): Promise<boolean> => (await one(undefined)).length > 0,
    /** Returns the highest generation of a document's chunks; undefined when it has none. */
    newestGeneration: async (documentId: string): Promise<number | undefined> => {
      const { newest } = await db
        .selectFrom('document_chunks')
        .select(eb => eb.fn.max<number | null>('generation').as('newest'))
        .where('document_id', '=', documentId)
        .executeTakeFirstOrThrow()
      return newest ?? undefined
    },
    /** Returns ids of live chunks in a hash space, by hash. */
    known: async (hashes: readonly string[], space: string): Promise<Map<string, string>> => {
      const { rows } = await sql<{
        id: string
        content_hash: string
      }>`SELECT id, content_hash FROM ${byIndex('memories', 'memories_hash')}
        WHERE is_deleted = 0 AND content_hash IN ${packedListOf('hash', hashes)} AND hash_space = ${space}`.execute(
        db,
      )
      return new Map(rows.map(row => [row.content_hash, row.id]))
    },
    /** Returns current chunks with their texts after an index, in order. */
    page: (documentId: string, after: number, limit: number): Promise<ChunkItem[]> =>
      db
        .selectFrom('document_chunks as c')
        .innerJoin('documents as d', join =>
          join.onRef('d.id', '=', 'c.document_id').onRef('d.generation', '=', 'c.generation'),
        )
        .innerJoin('memories as m', 'm.id', 'c.memory_id')
        .select(['m.id', 'm.content', 'm.type', 'm.created_at', 'c.chunk_index', 'c.heading', 'c.page'])
        .where('c.document_id', '=', documentId)
        .where('c.chunk_index', '>', after)
        .where(unindexed<number>('m.is_deleted'), '=', 0)
        .where(unindexed<string>('m.visibility'), '<>', 'archived')
        .orderBy('c.chunk_index')
        .limit(limit)
        .execute(),
    /**
     * Deletes links of a document except those of one generation, at most `limit`.
     * @returns the memories they linked to.
     */
    unlink: async (documentId: string, keep: number | undefined, limit: number): Promise<string[]> => {
      const { rows } = await sql<{ memory_id: string }>`DELETE FROM document_chunks
        WHERE document_id = ${documentId} AND (generation, chunk_index) IN (
          SELECT generation, chunk_index FROM document_chunks
          WHERE document_id = ${documentId} AND generation <> ${keep ?? -1} LIMIT ${limit})
        RETURNING memory_id`.execute(db)
      return [...new Set(rows.map(row => row.memory_id))]
    },
    /** Returns the given memories that still belong to a document, each with one such document. */
    stillLinked: async (
      memoryIds: readonly string[],
    ): Promise<Map<string, { id: string; source_url: string | null }>> => {
      const { rows } = await sql<{ memory_id: string; id: string; source_url: string | null }>`
        SELECT c.memory_id, d.id, d.source_url FROM (
          SELECT memory_id, min(document_id) AS document_id FROM document_chunks
          WHERE memory_id IN ${listOf(memoryIds)} GROUP BY memory_id) c
        JOIN documents d ON d.id = c.document_id`.execute(db)
      return new Map(rows.map(({ memory_id, ...document }) => [memory_id, document]))
    },
    /** Returns chunk positions by memory, preferring the document that created the memory. */
    placesOf: async (
      memories: readonly { id: string; source_id: string | null }[],
      { agents, globalOf, only }: ReadBoundary,
    ): Promise<Map<string, ChunkLocation>> => {
      if (memories.length === 0) return new Map()
      const readable =
        globalOf === 'all' ? sql`TRUE` : sql`d.agent_id IN (${sql.join([...agents, ...globalOf])})`
      const { rows } = await sql<ChunkLocation>`
        SELECT c.memory_id, d.id, d.title, c.heading, c.page, c.chunk_index FROM document_chunks c
        JOIN documents d ON d.id = c.document_id AND d.generation = c.generation
        WHERE c.memory_id IN ${listOf(memories.map(({ id }) => id))} AND ${readable}
        AND ${only?.project === undefined ? sql`TRUE` : sameProject('d.project', only.project)}
        ORDER BY c.memory_id, d.id, c.chunk_index`.execute(db)
      const first = new Map(memories.map(({ id, source_id }) => [id, source_id]))
      const places = new Map<string, ChunkLocation>()
      for (const place of rows) {
        const known = places.get(place.memory_id)
        const isFirst = place.id === first.get(place.memory_id)
        if (!known || (isFirst && known.id !== place.id)) places.set(place.memory_id, place)
      }
      return places
    },
  }
}
