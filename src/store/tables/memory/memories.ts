import { expressionBuilder, type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { MemoriesTable, Schema } from '../../schema/schema.js'
import { byIndex, joinByKey, jsonListHas, listOf, unindexed } from '../../sql/dialect.js'
import { fixedStatement, shapedStatement } from '../../sql/fixed-statement.js'
import { type InsertOptions, insertRows } from '../../sql/insert-rows.js'
import { packedHash, packedValue, toPack } from '../../sql/packed.js'
import { inChangeOrder } from './change-order.js'
import {
  inBoundary,
  inSelection,
  type MemoryFilter,
  type ReadBoundary,
  restrictForReader,
  restrictProject,
} from './memory-filter.js'
import { memoryLists } from './memory-lists.js'
import { memoryOverview } from './memory-overview.js'
import { memoryScores } from './memory-scores.js'
import { verdictColumns } from './safety.js'

export type MemoryRow = Selectable<MemoriesTable>
export type NewMemory = Insertable<MemoriesTable>

/** Columns of all views of a memory. */
const commonColumns = [
  'id',
  'content',
  'type',
  'tags',
  'who',
  'project',
  'importance',
  'pinned',
  'created_at',
] as const

/** Columns by which recall judges a row, and those that it shows: to load these later would take longer. */
const recallColumns = [
  ...commonColumns,
  'scope',
  'agent_id',
  'visibility',
  'session_id',
  'source_type',
  'source_id',
  'source_path',
  'superseded_by',
  'occurred_at',
  'observed_at',
  'source_created_at',
  'valid_from',
  'valid_until',
  'expires_at',
  'version',
  'layout',
] as const

/** `structured` is set for saved summaries only, because evidence may be bulky. */
export type RecallableMemory = Pick<MemoryRow, (typeof recallColumns)[number] | 'structured'>

/** Columns of lists and searches. */
const listColumns = [...commonColumns, 'source_type', ...verdictColumns] as const
export type ListableMemory = Pick<MemoryRow, (typeof listColumns)[number]>

/** Columns of an index entry. */
const indexColumns = [
  ...commonColumns,
  'scope',
  'agent_id',
  'visibility',
  'session_id',
  'source_path',
  'is_deleted',
  'change',
  'further_holders',
] as const
const columnsOfIndex = sql.raw(indexColumns.map(column => `memories.${column}`).join(', '))
export type IndexedMemory = Pick<MemoryRow, (typeof indexColumns)[number]>

export function memoriesTable(db: Kysely<Schema>) {
  return {
    ...reads(db),
    ...chains(db),
    ...duplicates(db),
    ...memoryLists(db),
    ...memoryScores(db),
    ...memoryOverview(db),
    ...writes(db),
    ...indexing(db),
  }
}

interface MemorySelection {
  boundary: ReadBoundary
  filter: MemoryFilter
}

/**
 * Returns the given memories that recall may show, unordered. Walks the ids and looks each up by key; `IN`
 * would sort them first, and an index of live rows would be scanned whole.
 */
function recallableOf<Row>(
  db: Kysely<Schema>,
  columns: string,
): (selection: MemorySelection, ids: readonly string[]) => Promise<Row[]> {
  const eb = expressionBuilder<Schema, 'memories'>()
  const find = shapedStatement<MemorySelection, readonly string[], Row>(
    db,
    ({ boundary, filter }, { rows }) =>
      sql<Row>`SELECT ${sql.raw(columns)}
        FROM (SELECT value FROM ${rows(ids => ids, 'listed')}) wanted
        ${joinByKey('memories', 'memories', sql`wanted.value`, 'id')}
        WHERE ${unindexed('is_deleted')} = 0 AND safety_status = 'clean' AND ${inSelection(eb, boundary, filter)}`,
  )
  return async (selection, ids) => (ids.length === 0 ? [] : find(selection, ids))
}

function seenBy<Row extends { project: string | null }>(boundary: ReadBoundary, rows: Row[]): Row[] {
  return boundary.only?.project === undefined ? rows : rows.map(row => restrictProject(row, boundary))
}

function reads(db: Kysely<Schema>) {
  const ofIds = recallableOf<{ id: string }>(db, 'id')
  const asRecalled = recallableOf<RecallableMemory>(
    db,
    `${recallColumns.join(', ')}, CASE WHEN source_type = 'recall-aggregate' THEN structured END AS structured`,
  )
  const asListed = recallableOf<ListableMemory>(db, listColumns.join(', '))
  return {
    /** Returns one row, forgotten ones included; undefined when it is absent or outside the boundary. */
    find: (id: string, boundary: ReadBoundary): Promise<MemoryRow | undefined> =>
      db
        .selectFrom('memories')
        .selectAll()
        .where('id', '=', id)
        .where(eb => inBoundary(eb, boundary))
        .executeTakeFirst(),
    /**
     * Returns the given ids that recall may show the reader: live, clean, inside boundary and filter
     * (recall.md 1.3.6).
     */
    authorize: async (
      ids: readonly string[],
      boundary: ReadBoundary,
      filter: MemoryFilter,
    ): Promise<Set<string>> => {
      const rows = await ofIds({ boundary, filter }, ids)
      return new Set(rows.map(row => row.id))
    },
    /** Returns the given rows that recall may show the reader now, unordered (recall.md 1.3.6). */
    loadRecallable: async (
      ids: readonly string[],
      boundary: ReadBoundary,
      filter: MemoryFilter,
    ): Promise<RecallableMemory[]> =>
      (await asRecalled({ boundary, filter }, ids)).map(row => restrictForReader(row, boundary)),
    /** Returns the same rows with the columns of searches. */
    loadListable: async (
      ids: readonly string[],
      boundary: ReadBoundary,
      filter: MemoryFilter,
    ): Promise<ListableMemory[]> => seenBy(boundary, await asListed({ boundary, filter }, ids)),
    /** Returns live summaries made from a memory, without an access check. */
    summariesOf: (id: string): Promise<MemoryRow[]> =>
      db
        .selectFrom('memories')
        .selectAll()
        // A literal, because the partial index needs it.
        .where(sql<boolean>`source_type = 'recall-aggregate' AND ${unindexed('is_deleted')} = 0`)
        .where(jsonListHas('structured', ['aggregate', 'memories'], id))
        .execute(),
    /** Returns the given rows, unordered. */
    load: async (ids: readonly string[]): Promise<MemoryRow[]> => {
      if (ids.length === 0) return []
      const { rows } = await sql<MemoryRow>`SELECT * FROM memories WHERE id IN ${listOf(ids)}`.execute(db)
      return rows
    },
  }
}

/** Maximum length of a chain of replacements, far above any real one. */
const maxChain = 10_000

/** Chains of replacements (rules.md 4.4). */
function chains(db: Kysely<Schema>) {
  return {
    /** Returns the ids along `superseded_by` from a memory to the head, both included. */
    successors: async (id: string): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`
        WITH RECURSIVE chain (id, depth) AS (
          SELECT ${id}, 0
          UNION ALL
          SELECT m.superseded_by, chain.depth + 1 FROM memories m JOIN chain ON m.id = chain.id
          WHERE m.superseded_by IS NOT NULL AND chain.depth < ${maxChain}
        )
        SELECT id FROM chain ORDER BY depth`.execute(db)
      return rows.map(row => row.id)
    },
  }
}

/** Finds an earlier save of the same content (rules.md 1.1), within what the writer may see. */
function duplicates(db: Kysely<Schema>) {
  const firstVisible = async (ids: readonly { id: string }[], boundary: ReadBoundary) => {
    if (ids.length === 0) return undefined
    return (
      db
        .selectFrom('memories')
        .selectAll()
        .where(
          'id',
          'in',
          ids.map(({ id }) => id),
        )
        .where(eb => inBoundary(eb, boundary))
        // A replaced row may have the text of its successor.
        .orderBy(sql`superseded_by IS NOT NULL`)
        .orderBy(unindexed('created_at'))
        .orderBy(unindexed('id'))
        .executeTakeFirst()
    )
  }
  // Names the indexes; without statistics SQLite would scan all live rows through one on is_deleted.
  const withHash = fixedStatement<string, { id: string }>(
    db,
    ({ value }) => sql`SELECT id FROM ${byIndex('memories', 'memories_hash')}
      WHERE is_deleted = 0 AND content_hash = ${value(packedHash)}`,
  )
  const stored = fixedStatement<readonly string[], { content_hash: string }>(
    db,
    ({ rows }) => sql`SELECT content_hash FROM ${byIndex('memories', 'memories_hash')}
      WHERE is_deleted = 0 AND content_hash IN
        (SELECT ${packedValue} FROM ${rows(hashes => toPack('hash', hashes), 'packed')})`,
  )
  const unstored = fixedStatement<readonly string[], never>(
    db,
    ({ rows }) => sql`SELECT 1 / CASE WHEN EXISTS (SELECT 1 FROM ${byIndex('memories', 'memories_hash')}
      WHERE is_deleted = 0 AND content_hash IN
        (SELECT ${packedValue} FROM ${rows(hashes => toPack('hash', hashes), 'packed')})) THEN 0 ELSE 1 END`,
  )
  return {
    /** Fails by a division by zero on a server, and so ends its transaction, when a live row has a hash. */
    refuseStored: async (hashes: readonly string[]): Promise<void> => void (await unstored(hashes)),
    /** Returns those of the hashes that live rows have, whoever may see them. */
    storedHashes: async (hashes: readonly string[]): Promise<Set<string>> =>
      new Set((await stored(hashes)).map(row => row.content_hash)),
    byIdempotencyKey: async (
      key: string,
      { agentId, visibility, scope }: { agentId: string; visibility: string; scope: string | null },
    ): Promise<MemoryRow | undefined> => {
      const { rows } = await sql<MemoryRow>`SELECT * FROM ${byIndex('memories', 'memories_idempotency')}
        WHERE is_deleted = 0 AND idempotency_key IS NOT NULL AND idempotency_key = ${key} AND agent_id = ${agentId}
        AND visibility = ${visibility} AND COALESCE(scope, '') = ${scope ?? ''}`.execute(db)
      return rows[0]
    },
    byHash: async (hash: string, boundary: ReadBoundary): Promise<MemoryRow | undefined> =>
      firstVisible(await withHash(hash), boundary),
    bySource: async (
      source: { id: string; type: string | null },
      boundary: ReadBoundary,
    ): Promise<MemoryRow | undefined> => {
      const { rows } = await sql<{ id: string }>`SELECT id FROM ${byIndex('memories', 'memories_source')}
        WHERE is_deleted = 0 AND source_id IS NOT NULL AND source_id = ${source.id}
        AND source_type IS NOT DISTINCT FROM ${source.type}`.execute(db)
      return firstVisible(rows, boundary)
    },
  }
}

function withPackedHash(change: Partial<NewMemory>): Partial<NewMemory> {
  const { content_hash: hash } = change
  return hash === undefined ? change : { ...change, content_hash: packedHash(hash) }
}

function writes(db: Kysely<Schema>) {
  return {
    /** Inserts rows, each numbered as its change. @param breathe yields to other work between them. */
    insert: (rows: readonly NewMemory[], breathe?: InsertOptions['breathe']): Promise<void> =>
      insertRows(db, 'memories', rows, { numberedBy: 'change', breathe }),
    /** Forgets a row read in the same transaction; faster than `update` for many rows. */
    softDelete: async (
      id: string,
      { now, by, change }: { now: string; by: string; change: number },
    ): Promise<void> => {
      await sql`UPDATE memories SET is_deleted = 1, deleted_at = ${now}, version = version + 1, updated_at = ${now},
          updated_by = ${by}, change = ${change}
        WHERE id = ${id}`.execute(db)
    },
    /** Updates one row and increments its version. @returns false when the version has changed. */
    update: async (id: string, fromVersion: number, change: Partial<NewMemory>): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('memories')
        .set({ ...withPackedHash(change), version: fromVersion + 1 })
        .where('id', '=', id)
        .where('version', '=', fromVersion)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
    /** Records the vector's model: a change for the index, but not a new version. */
    setEmbeddingModel: async (id: string, model: string | null, change: number): Promise<void> => {
      await db.updateTable('memories').set({ embedding_model: model, change }).where('id', '=', id).execute()
    },
  }
}

function indexing(db: Kysely<Schema>) {
  return {
    /** Returns the change number of each live row, by id. */
    changesOf: async (ids: readonly string[]): Promise<Map<string, number>> => {
      // Looks up by id; an index of live rows would be scanned whole.
      const { rows } = await sql<{ id: string; change: number }>`SELECT id, change FROM memories
        WHERE id IN ${listOf(ids)} AND ${unindexed<number>('is_deleted')} = 0`.execute(db)
      return new Map(rows.map(({ id, change }) => [id, change]))
    },
    /** Returns live rows before a change, newest first, to rebuild the index. */
    beforeChange: async (change: number, limit: number): Promise<IndexedMemory[]> => {
      const where = sql`${unindexed('is_deleted')} = 0`
      const query = inChangeOrder<IndexedMemory>(columnsOfIndex, 'before', { change, limit, where })
      return (await query.execute(db)).rows
    },
    /** Returns rows changed after a snapshot, deleted ones included, oldest first. */
    afterChange: async (change: number, limit: number): Promise<IndexedMemory[]> =>
      (await inChangeOrder<IndexedMemory>(columnsOfIndex, 'after', { change, limit }).execute(db)).rows,
    /** Returns live rows whose review came due after a cursor and up to `now`, in that order. */
    dueForReview: async (
      { time, id }: { time: string; id: string },
      now: string,
      limit: number,
    ): Promise<{ id: string; review_after: string }[]> => {
      const { rows } = await sql<{ id: string; review_after: string }>`SELECT id, review_after
        FROM ${byIndex('memories', 'memories_review')}
        WHERE review_after IS NOT NULL AND (review_after, id) > (${time}, ${id}) AND review_after <= ${now}
          AND is_deleted = 0
        ORDER BY review_after, id LIMIT ${limit}`.execute(db)
      return rows
    },
  }
}
