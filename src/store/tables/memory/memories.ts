import { expressionBuilder, type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { MemoriesTable, Schema } from '../../schema/schema.js'
import { byIndex, jsonListHas, listOf, thenJoin, unindexed } from '../../sql/dialect.js'
import { fixedStatement, shapedStatement } from '../../sql/fixed-statement.js'
import { insertRow } from '../../sql/insert-rows.js'
import { packedHash } from '../../sql/packed.js'
import { asSeen, inBoundary, inSelection, type MemoryFilter, type ReadBoundary } from './memory-filter.js'
import { memoryLists } from './memory-lists.js'
import { memoryOverview } from './memory-overview.js'
import { memoryScores } from './memory-scores.js'
import { asTold } from './origin.js'
import { verdictColumns } from './safety.js'

export type MemoryRow = Selectable<MemoriesTable>
export type NewMemory = Insertable<MemoriesTable>

/** What is told of a row wherever it is told. */
const told = [
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

/** What recall and forget look at and show of a row. */
const recalled = [
  ...told,
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
  'version',
] as const

/** What recall judges the rows by that may be among those it gives: it looks at four times as many. */
const judged = [
  'id',
  'content',
  'type',
  'source_type',
  'source_id',
  'superseded_by',
  'valid_from',
  'valid_until',
] as const
export type JudgedMemory = Pick<MemoryRow, (typeof judged)[number]>

/** `structured` is that of saved summaries, null in all other rows: evidence may be bulky. */
export type RecallableMemory = Pick<MemoryRow, (typeof recalled)[number] | 'structured'>

/** What lists and searches show of a row. */
const listed = [...told, 'source_type', ...verdictColumns] as const
export type ListableMemory = Pick<MemoryRow, (typeof listed)[number]>

/** What an entry of the index is made of. */
const indexed = [
  ...told,
  'scope',
  'agent_id',
  'visibility',
  'session_id',
  'source_path',
  'is_deleted',
  'change',
  'further_holders',
] as const
export type IndexedMemory = Pick<MemoryRow, (typeof indexed)[number]>

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

/** Who looks, and for what. */
interface Selection {
  boundary: ReadBoundary
  filter: MemoryFilter
}

/**
 * Of the memories with some ids, those that may be shown in recall, in no order. The ids are walked, each one entering the
 * memories by its key: `IN` would sort them first, and an index of the alive ones would be scanned whole.
 */
function recallableOf<Row>(
  db: Kysely<Schema>,
  columns: string,
): (selection: Selection, ids: readonly string[]) => Promise<Row[]> {
  const eb = expressionBuilder<Schema, 'memories'>()
  const find = shapedStatement<Selection, readonly string[], Row>(
    db,
    ({ boundary, filter }, { rows }) =>
      sql<Row>`SELECT ${sql.raw(columns)}
        FROM (SELECT value FROM ${rows(ids => ids, 'listed')}) wanted
        ${thenJoin} memories ON memories.id = wanted.value
        WHERE ${unindexed('is_deleted')} = 0 AND safety_status = 'clean' AND ${inSelection(eb, boundary, filter)}`,
  )
  return async (selection, ids) => (ids.length === 0 ? [] : find(selection, ids))
}

function seenBy<Row extends { project: string | null }>(boundary: ReadBoundary, rows: Row[]): Row[] {
  return boundary.only?.project === undefined ? rows : rows.map(row => asSeen(row, boundary))
}

function reads(db: Kysely<Schema>) {
  const ofIds = recallableOf<{ id: string }>(db, 'id')
  const asRecalled = recallableOf<RecallableMemory>(
    db,
    `${recalled.join(', ')}, CASE WHEN source_type = 'recall-aggregate' THEN structured END AS structured`,
  )
  const asJudged = recallableOf<JudgedMemory>(db, judged.join(', '))
  const asListed = recallableOf<ListableMemory>(db, listed.join(', '))
  return {
    /** One row, soft-deleted ones included; undefined when it is absent or outside the boundary. */
    find: (id: string, boundary: ReadBoundary): Promise<MemoryRow | undefined> =>
      db
        .selectFrom('memories')
        .selectAll()
        .where('id', '=', id)
        .where(eb => inBoundary(eb, boundary))
        .executeTakeFirst(),
    /**
     * Of the given ids, those that the reader may be shown in recall: alive, clean, inside boundary and filter
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
    /** Rows of the given ids that the reader may be shown in recall at this moment, in no order (recall.md 1.3.6). */
    loadRecallable: async (
      ids: readonly string[],
      boundary: ReadBoundary,
      filter: MemoryFilter,
    ): Promise<RecallableMemory[]> =>
      (await asRecalled({ boundary, filter }, ids)).map(row => asTold(row, boundary)),
    /** The same rows as far as they are judged. */
    loadJudged: (
      ids: readonly string[],
      boundary: ReadBoundary,
      filter: MemoryFilter,
    ): Promise<JudgedMemory[]> => asJudged({ boundary, filter }, ids),
    /** The same rows as searches show them. */
    loadListable: async (
      ids: readonly string[],
      boundary: ReadBoundary,
      filter: MemoryFilter,
    ): Promise<ListableMemory[]> => seenBy(boundary, await asListed({ boundary, filter }, ids)),
    /** Alive summaries that were made from a memory, whoever may see them. */
    summariesOf: (id: string): Promise<MemoryRow[]> =>
      db
        .selectFrom('memories')
        .selectAll()
        // A literal, as in the condition of its index, by which few rows are met.
        .where(sql<boolean>`source_type = 'recall-aggregate' AND ${unindexed('is_deleted')} = 0`)
        .where(jsonListHas('structured', ['aggregate', 'memories'], id))
        .execute(),
    /** Rows of the given ids, in no order. */
    load: async (ids: readonly string[]): Promise<MemoryRow[]> => {
      if (ids.length === 0) return []
      const { rows } = await sql<MemoryRow>`SELECT * FROM memories WHERE id IN ${listOf(ids)}`.execute(db)
      return rows
    },
  }
}

/** A chain of replacements is followed this far; nobody replaces one memory that often. */
const maxChain = 10_000

/** Who replaced whom (rules.md 4.4). */
function chains(db: Kysely<Schema>) {
  return {
    /** The ids that `superseded_by` leads to from one memory to the head: that memory first, the head last. */
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

/** Lookups that make a second save find the first (rules.md 1.1); each inside what the writer may see. */
function duplicates(db: Kysely<Schema>) {
  const firstVisible = async (ids: readonly { id: string }[], boundary: ReadBoundary) => {
    if (ids.length === 0) return undefined
    return db
      .selectFrom('memories')
      .selectAll()
      .where(
        'id',
        'in',
        ids.map(({ id }) => id),
      )
      .where(eb => inBoundary(eb, boundary))
      .orderBy(unindexed('created_at'))
      .orderBy(unindexed('id'))
      .executeTakeFirst()
  }
  // The indexes are named: without statistics SQLite would walk every alive row by one that begins with is_deleted.
  const withHash = fixedStatement<string, { id: string }>(
    db,
    ({ value }) => sql`SELECT id FROM ${byIndex('memories', 'memories_hash')}
      WHERE is_deleted = 0 AND content_hash = ${value(packedHash)}`,
  )
  return {
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
    insert: (row: NewMemory): Promise<void> => insertRow(db, 'memories', row),
    /** Forgets a row that was read in the same transaction; of many, sooner than by `update`. */
    softDelete: async (
      id: string,
      { now, by, change }: { now: string; by: string; change: number },
    ): Promise<void> => {
      await sql`UPDATE memories SET is_deleted = 1, deleted_at = ${now}, version = version + 1, updated_at = ${now},
          updated_by = ${by}, change = ${change}
        WHERE id = ${id}`.execute(db)
    },
    /** Changes one row and counts its version up. @returns false when the version had moved on. */
    update: async (id: string, fromVersion: number, change: Partial<NewMemory>): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('memories')
        .set({ ...withPackedHash(change), version: fromVersion + 1 })
        .where('id', '=', id)
        .where('version', '=', fromVersion)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
    /** Notes which model made the vector: a change for the index, but no mutation of the memory, so no new version. */
    setEmbeddingModel: async (id: string, model: string | null, change: number): Promise<void> => {
      await db.updateTable('memories').set({ embedding_model: model, change }).where('id', '=', id).execute()
    },
  }
}

function indexing(db: Kysely<Schema>) {
  return {
    /** The number of the last change of each alive row, by id. */
    changesOf: async (ids: readonly string[]): Promise<Map<string, number>> => {
      // By id: an index of the alive ones would be scanned whole instead.
      const { rows } = await sql<{ id: string; change: number }>`SELECT id, change FROM memories
        WHERE id IN ${listOf(ids)} AND ${unindexed<number>('is_deleted')} = 0`.execute(db)
      return new Map(rows.map(({ id, change }) => [id, change]))
    },
    /** Alive rows for a rebuild of the index, newest change first, before the given change. */
    beforeChange: (change: number, limit: number): Promise<IndexedMemory[]> =>
      db
        .selectFrom('memories')
        .select(indexed)
        // By the index of changes: by another every alive row would be sorted for each batch.
        .where(unindexed<number>('is_deleted'), '=', 0)
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
    /** Alive rows whose review came due behind a time and place, up to another time, in that order. */
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
