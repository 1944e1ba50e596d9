import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { MemoriesTable, Schema } from '../../schema/schema.js'
import { byIndex, listOf, unindexed } from '../../sql/dialect.js'
import { sameProject } from '../../sql/same-project.js'
import { hasAtLeast } from '../../sql/sized.js'
import { type BranchCommit, inSelection, type MemoryFilter, type ReadBoundary } from './memory-filter.js'
import { verdictColumns } from './safety.js'

type MemoryRow = Selectable<MemoriesTable>

const holderColumns = ['agent_id', 'project', 'scope', 'visibility', 'further_holders', 'created_at'] as const

/** Columns of lists, with the holder. */
const briefColumns = [
  ...holderColumns,
  'id',
  'type',
  'tags',
  'who',
  'importance',
  'pinned',
  'source_type',
  'version',
  ...verdictColumns,
] as const
export type ListedMemory = Pick<MemoryRow, (typeof briefColumns)[number] | 'content'>

const countedColumns = [...holderColumns, 'id', 'type', 'tags', 'who', 'pinned', 'safety_status'] as const
export type CountableMemory = Pick<MemoryRow, (typeof countedColumns)[number]>

export interface MemoryCounts {
  total: number
  withEmbeddings: number
  critical: number
}

export interface Page {
  limit: number
  offset: number
  /** Newest first by default. */
  sort?: 'newest' | 'oldest' | 'changed' | 'importance' | undefined
}

const orders = {
  newest: sql`created_at DESC, id DESC`,
  oldest: sql`created_at, id`,
  changed: sql`updated_at DESC, id DESC`,
  importance: sql`importance DESC, created_at DESC, id DESC`,
} as const

/**
 * Counts live memories, except archived ones. SQLite counts a whole table much faster than a filtered one, so
 * the few deleted and archived rows are subtracted.
 */
export const aliveCount = sql<number>`((SELECT count(*) FROM memories)
  - (SELECT count(*) FROM memories WHERE is_deleted = 1)
  - (SELECT count(*) FROM ${byIndex('memories', 'memories_archived')}
      WHERE is_deleted = 0 AND visibility = 'archived'))`

/** Counts those that are chunks of documents. The first condition matches the index of chunks. */
const chunkCount = sql<number>`((SELECT count(*) FROM memories WHERE type = 'document_chunk' AND is_deleted = 0)
  - (SELECT count(*) FROM ${byIndex('memories', 'memories_archived')}
      WHERE is_deleted = 0 AND visibility = 'archived' AND type = 'document_chunk'))`

/** Rows that one statement counts, in some 25 ms. Slices cost half as much again. */
const slice = 100_000

/** A row in the order of lists. */
type ListedPosition = Pick<MemoryRow, 'created_at' | 'id'>

const isAfter = ({ created_at, id }: ListedPosition) =>
  sql<boolean>`(created_at, id) < (${created_at}, ${id})`

/** Each memory has taken a number of the change sequence, so there are at most as many. */
async function mostRows(db: Kysely<Schema>): Promise<number> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', 'change').executeTakeFirst()
  return Number(row?.value ?? Number.POSITIVE_INFINITY)
}

/**
 * Live rows by boundary and filter, or forgotten ones if the filter asks for them; tainted and blocked ones
 * are included unless the filter excludes them (rules.md 1.6).
 */
export function memoryLists(db: Kysely<Schema>) {
  const selected = (boundary: ReadBoundary, filter: MemoryFilter) =>
    db
      .selectFrom('memories')
      // With ids given, the primary key must be used.
      .where(
        filter.ids ? unindexed<number>('is_deleted') : 'is_deleted',
        '=',
        sql.lit(filter.deleted ? 1 : 0),
      )
      .where(eb => inSelection(eb, boundary, filter))
  // Ids first, because an index covers the filter and skipped rows are not read.
  const page = (boundary: ReadBoundary, filter: MemoryFilter, { limit, offset, sort = 'newest' }: Page) =>
    selected(boundary, filter).select('id').orderBy(orders[sort]).limit(limit).offset(offset)
  /** The last row of the next slice; undefined if the rest is shorter. */
  const endOfSlice = (
    filter: MemoryFilter,
    after: ListedPosition | undefined,
  ): Promise<ListedPosition | undefined> =>
    db
      .selectFrom('memories')
      .select(['created_at', 'id'])
      .where('is_deleted', '=', sql.lit(filter.deleted ? 1 : 0))
      .$if(after !== undefined, query => query.where(isAfter(after as ListedPosition)))
      .orderBy(orders.newest)
      .limit(1)
      .offset(slice - 1)
      .executeTakeFirst()
  const countBetween = (
    boundary: ReadBoundary,
    filter: MemoryFilter,
    { after, end }: { after: ListedPosition | undefined; end: ListedPosition | undefined },
  ): Promise<MemoryCounts> =>
    selected(boundary, filter)
      .select([
        sql<number>`count(*)`.as('total'),
        // Set and cleared together with the vector, so the vectors need not be read.
        sql<number>`count(embedding_model)`.as('withEmbeddings'),
        sql<number>`count(CASE WHEN pinned = 1 THEN 1 END)`.as('critical'),
      ])
      .$if(after !== undefined, query => query.where(isAfter(after as ListedPosition)))
      .$if(end !== undefined, query =>
        query.where(sql<boolean>`(created_at, id) >= (${end?.created_at}, ${end?.id})`),
      )
      .executeTakeFirstOrThrow()
  return {
    /** Returns rows, newest first. */
    list: (boundary: ReadBoundary, filter: MemoryFilter, wanted: Page): Promise<MemoryRow[]> =>
      db
        .selectFrom('memories')
        .selectAll()
        .where('id', 'in', page(boundary, filter, wanted))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute(),
    /** Returns the same rows with the columns of lists and truncated contents. */
    listBriefly: (
      boundary: ReadBoundary,
      filter: MemoryFilter,
      wanted: Page & { maxContent?: number | undefined },
    ): Promise<ListedMemory[]> =>
      db
        .selectFrom('memories')
        .select(briefColumns)
        .select(
          wanted.maxContent === undefined
            ? 'content'
            : sql<string>`substr(content, 1, ${wanted.maxContent})`.as('content'),
        )
        .where('id', 'in', page(boundary, filter, wanted))
        .orderBy(orders[wanted.sort ?? 'newest'])
        .execute(),
    /** Returns rows for counting from an index alone, newest first, starting after a row. */
    countable: (
      boundary: ReadBoundary,
      filter: MemoryFilter,
      { after, limit }: { after: ListedPosition | undefined; limit: number },
    ): Promise<CountableMemory[]> =>
      selected(boundary, filter)
        .select(countedColumns)
        .$if(after !== undefined, query => query.where(isAfter(after as ListedPosition)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    /** Returns ids only, newest first. */
    listIds: async (boundary: ReadBoundary, filter: MemoryFilter, wanted: Page): Promise<string[]> => {
      const rows = await page(boundary, filter, wanted).execute()
      return rows.map(row => row.id)
    },
    /** Returns all authors of the selected rows in alphabetical order. */
    distinctWho: async (boundary: ReadBoundary, filter: MemoryFilter): Promise<string[]> => {
      // The index on the author would lead to all rows, ignoring the other restrictions.
      const who = unindexed<string>('who')
      const rows = await selected(boundary, filter)
        .select(who.as('who'))
        .distinct()
        .where(who, 'is not', null)
        .orderBy(who)
        .execute()
      return rows.map(row => row.who)
    },
    /** Returns the commits of other branches on which memories of a project were saved, newest first. */
    commitsOnBranches: async (
      project: string,
      names: readonly string[],
      limit: number,
    ): Promise<BranchCommit[]> => {
      const { rows } = await sql<BranchCommit>`SELECT branch, commit_id AS "commit"
        FROM ${byIndex('memories', 'memories_commit')}
        WHERE commit_id IS NOT NULL AND is_deleted = 0 AND ${sameProject('project', project)}
          AND branch IS NOT NULL AND branch NOT IN ${listOf(names)}
        GROUP BY branch, commit_id ORDER BY MAX(created_at) DESC LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Counts in slices, newest first, so that other work continues; changes between two may be missed. */
    counts: async (boundary: ReadBoundary, filter: MemoryFilter = {}): Promise<MemoryCounts> => {
      const sum: MemoryCounts = { total: 0, withEmbeddings: 0, critical: 0 }
      const isLarge = !filter.ids && (await mostRows(db)) > slice
      for (let after: ListedPosition | undefined; ; ) {
        const end = isLarge ? await endOfSlice(filter, after) : undefined
        const part = await countBetween(boundary, filter, { after, end })
        for (const name of ['total', 'withEmbeddings', 'critical'] as const) sum[name] += part[name]
        if (!end) return sum
        after = end
        await nextTurn()
      }
    },
    /** Counts live chunks of documents, without archived ones, like `countAlive`. */
    countChunks: async (): Promise<number> => {
      const { count } = await db.selectNoFrom([chunkCount.as('count')]).executeTakeFirstOrThrow()
      return count
    },
    hasAtLeast: (count: number): Promise<boolean> => hasAtLeast(db, 'memories', count),
    countAlive: async (): Promise<number> => {
      const { count } = await db.selectNoFrom([aliveCount.as('count')]).executeTakeFirstOrThrow()
      return count
    },
  }
}
