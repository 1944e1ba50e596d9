import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { MemoriesTable, Schema } from '../schema.js'
import { inBoundary, type MemoryFilter, matchesFilter, type ReadBoundary } from './memory-filter.js'

export type MemoryRow = Selectable<MemoriesTable>
export type NewMemory = Insertable<MemoriesTable>

/** Where a row of the index comes from: everything but the bulky evidence. */
export type IndexedMemory = Pick<
  MemoryRow,
  | 'id'
  | 'content'
  | 'type'
  | 'tags'
  | 'who'
  | 'project'
  | 'scope'
  | 'agent_id'
  | 'visibility'
  | 'pinned'
  | 'importance'
  | 'created_at'
  | 'session_id'
  | 'source_path'
  | 'is_deleted'
  | 'change'
>

export interface MemoryCounts {
  total: number
  withEmbeddings: number
  critical: number
}

const indexed = [
  'id',
  'content',
  'type',
  'tags',
  'who',
  'project',
  'scope',
  'agent_id',
  'visibility',
  'pinned',
  'importance',
  'created_at',
  'session_id',
  'source_path',
  'is_deleted',
  'change',
] as const

export function memoriesTable(db: Kysely<Schema>) {
  return { ...reads(db), ...duplicates(db), ...lists(db), ...writes(db), ...indexing(db) }
}

function reads(db: Kysely<Schema>) {
  return {
    /** One row, soft-deleted ones included; undefined when it is absent or outside the boundary. */
    find: (id: string, boundary: ReadBoundary): Promise<MemoryRow | undefined> =>
      db
        .selectFrom('memories')
        .selectAll()
        .where('id', '=', id)
        .where(eb => inBoundary(eb, boundary))
        .executeTakeFirst(),
    /** Of the given ids, those that the reader may be shown in recall: alive, clean, inside boundary and filter (spec 1, 1.3.6). */
    authorize: async (
      ids: readonly string[],
      boundary: ReadBoundary,
      filter: MemoryFilter,
    ): Promise<Set<string>> => {
      if (ids.length === 0) return new Set()
      const rows = await db
        .selectFrom('memories')
        .select('id')
        .where('id', 'in', [...ids])
        .where('is_deleted', '=', 0)
        .where('safety_status', '=', 'clean')
        .where(eb => inBoundary(eb, boundary))
        .where(eb => matchesFilter(eb, filter))
        .execute()
      return new Set(rows.map(row => row.id))
    },
    /** Rows of the given ids, in no order. */
    load: async (ids: readonly string[]): Promise<MemoryRow[]> =>
      ids.length === 0
        ? []
        : db
            .selectFrom('memories')
            .selectAll()
            .where('id', 'in', [...ids])
            .execute(),
  }
}

/** Lookups that make a second save find the first (spec 1, 1.1); each inside what the writer may see. */
function duplicates(db: Kysely<Schema>) {
  const alive = (boundary: ReadBoundary) =>
    db
      .selectFrom('memories')
      .selectAll()
      .where('is_deleted', '=', 0)
      .where(eb => inBoundary(eb, boundary))
      .orderBy('created_at')
      .orderBy('id')
  return {
    byIdempotencyKey: (
      key: string,
      { agentId, visibility, scope }: { agentId: string; visibility: string; scope: string | null },
    ): Promise<MemoryRow | undefined> =>
      db
        .selectFrom('memories')
        .selectAll()
        .where('is_deleted', '=', 0)
        .where('idempotency_key', '=', key)
        .where('agent_id', '=', agentId)
        .where('visibility', '=', visibility)
        .where(sql`COALESCE(scope, '')`, '=', scope ?? '')
        .executeTakeFirst(),
    byHash: (hash: string, boundary: ReadBoundary): Promise<MemoryRow | undefined> =>
      alive(boundary).where('content_hash', '=', hash).executeTakeFirst(),
    bySource: (
      source: { id: string; type: string | null },
      boundary: ReadBoundary,
    ): Promise<MemoryRow | undefined> =>
      alive(boundary)
        .where('source_id', '=', source.id)
        .where('source_type', source.type === null ? 'is' : '=', source.type)
        .executeTakeFirst(),
  }
}

function lists(db: Kysely<Schema>) {
  return {
    /** Alive rows, newest first; tainted and blocked ones included, they stay inspectable (spec 1, 1.6). */
    list: (
      boundary: ReadBoundary,
      filter: MemoryFilter,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<MemoryRow[]> =>
      db
        .selectFrom('memories')
        .selectAll()
        .where('is_deleted', '=', 0)
        .where(eb => inBoundary(eb, boundary))
        .where(eb => matchesFilter(eb, filter))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
    counts: async (boundary: ReadBoundary): Promise<MemoryCounts> => {
      const { total, withEmbeddings, critical } = await db
        .selectFrom('memories')
        .leftJoin('memory_vectors', 'memory_vectors.memory_id', 'memories.id')
        .select([
          sql<number>`count(*)`.as('total'),
          sql<number>`count(memory_vectors.memory_id)`.as('withEmbeddings'),
          sql<number>`count(CASE WHEN pinned = 1 THEN 1 END)`.as('critical'),
        ])
        .where('is_deleted', '=', 0)
        .where(eb => inBoundary(eb as never, boundary))
        .executeTakeFirstOrThrow()
      return { total, withEmbeddings, critical }
    },
    countAlive: async (): Promise<number> => {
      const { count } = await db
        .selectFrom('memories')
        .select(sql<number>`count(*)`.as('count'))
        .where('is_deleted', '=', 0)
        .executeTakeFirstOrThrow()
      return count
    },
  }
}

function writes(db: Kysely<Schema>) {
  return {
    insert: async (row: NewMemory): Promise<void> => {
      await db.insertInto('memories').values(row).execute()
    },
    /** Changes one row and counts its version up. @returns false when the version had moved on. */
    update: async (id: string, fromVersion: number, change: Partial<NewMemory>): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('memories')
        .set({ ...change, version: fromVersion + 1 })
        .where('id', '=', id)
        .where('version', '=', fromVersion)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
    /** Notes which model made the vector: a change for the index, but no mutation of the memory, so no new version. */
    setEmbeddingModel: async (id: string, model: string, change: number): Promise<void> => {
      await db.updateTable('memories').set({ embedding_model: model, change }).where('id', '=', id).execute()
    },
    countAccess: async (ids: readonly string[], now: string): Promise<void> => {
      await db
        .updateTable('memories')
        .set({ access_count: sql`access_count + 1`, last_accessed: now })
        .where('id', 'in', [...ids])
        .execute()
    },
  }
}

function indexing(db: Kysely<Schema>) {
  return {
    /** Alive rows for a rebuild of the index, newest change first, before the given change. */
    beforeChange: (change: number, limit: number): Promise<IndexedMemory[]> =>
      db
        .selectFrom('memories')
        .select(indexed)
        .where('is_deleted', '=', 0)
        .where('change', '<', change)
        .orderBy('change', 'desc')
        .limit(limit)
        .execute(),
    /** Rows changed after a snapshot, deleted ones included, oldest first. */
    afterChange: (change: number, limit: number): Promise<IndexedMemory[]> =>
      db
        .selectFrom('memories')
        .select(indexed)
        .where('change', '>', change)
        .orderBy('change')
        .limit(limit)
        .execute(),
  }
}
