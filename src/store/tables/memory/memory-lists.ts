import { type Kysely, type Selectable, sql } from 'kysely'
import type { MemoriesTable, Schema } from '../../schema/schema.js'
import { unindexed } from '../../sql/dialect.js'
import { hasAtLeast } from '../../sql/has-at-least.js'
import { aliveCount, chunkCount } from './alive-count.js'
import { inSelection, type MemoryFilter, type ReadBoundary } from './memory-filter.js'
import { verdictColumns } from './safety.js'

type MemoryRow = Selectable<MemoriesTable>

const holderColumns = ['agent_id', 'project', 'scope', 'visibility', 'further_holders', 'created_at'] as const

/** What lists show of a row, and by whom it is held. */
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
export type HeldMemory = Pick<MemoryRow, (typeof briefColumns)[number] | 'content'>

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
}

/**
 * Alive rows by boundary and filter, or forgotten ones where that asks for them; tainted and blocked ones included unless
 * the filter says otherwise (rules.md 1.6).
 */
export function memoryLists(db: Kysely<Schema>) {
  const selected = (boundary: ReadBoundary, filter: MemoryFilter) =>
    db
      .selectFrom('memories')
      // Where the ids are known nothing else leads to the rows.
      .where(
        filter.ids ? unindexed<number>('is_deleted') : 'is_deleted',
        '=',
        sql.lit(filter.deleted ? 1 : 0),
      )
      .where(eb => inSelection(eb, boundary, filter))
  // Ids first: an index holds what selects them, so that no skipped row is read.
  const page = (boundary: ReadBoundary, filter: MemoryFilter, { limit, offset }: Page) =>
    selected(boundary, filter)
      .select('id')
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)
  return {
    /** Newest first. */
    list: (boundary: ReadBoundary, filter: MemoryFilter, wanted: Page): Promise<MemoryRow[]> =>
      db
        .selectFrom('memories')
        .selectAll()
        .where('id', 'in', page(boundary, filter, wanted))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute(),
    /** What lists show of the same rows, of a long content its beginning. */
    listBriefly: (
      boundary: ReadBoundary,
      filter: MemoryFilter,
      wanted: Page & { maxContent?: number | undefined },
    ): Promise<HeldMemory[]> =>
      db
        .selectFrom('memories')
        .select(briefColumns)
        .select(
          wanted.maxContent === undefined
            ? 'content'
            : sql<string>`substr(content, 1, ${wanted.maxContent})`.as('content'),
        )
        .where('id', 'in', page(boundary, filter, wanted))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute(),
    /** What rows are counted by, newest first, from an index alone: the next ones after a row, or the first. */
    countable: (
      boundary: ReadBoundary,
      filter: MemoryFilter,
      { after, limit }: { after: Pick<MemoryRow, 'created_at' | 'id'> | undefined; limit: number },
    ): Promise<CountableMemory[]> =>
      selected(boundary, filter)
        .select(countedColumns)
        .$if(after !== undefined, query =>
          query.where(sql<boolean>`(created_at, id) < (${after?.created_at}, ${after?.id})`),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    /** Ids of a list without their rows, newest first. */
    listIds: async (boundary: ReadBoundary, filter: MemoryFilter, wanted: Page): Promise<string[]> => {
      const rows = await page(boundary, filter, wanted).execute()
      return rows.map(row => row.id)
    },
    /** Everybody who wrote a selected row, in alphabetical order. */
    distinctWho: async (boundary: ReadBoundary, filter: MemoryFilter): Promise<string[]> => {
      // By author the way would lead to every row where the filter asks for more.
      const who = unindexed<string>('who')
      const rows = await selected(boundary, filter)
        .select(who.as('who'))
        .distinct()
        .where(who, 'is not', null)
        .orderBy(who)
        .execute()
      return rows.map(row => row.who)
    },
    counts: (boundary: ReadBoundary, filter: MemoryFilter = {}): Promise<MemoryCounts> =>
      selected(boundary, filter)
        .select([
          sql<number>`count(*)`.as('total'),
          // Set and cleared together with the vector: counting it needs no look at the vectors.
          sql<number>`count(embedding_model)`.as('withEmbeddings'),
          sql<number>`count(CASE WHEN pinned = 1 THEN 1 END)`.as('critical'),
        ])
        .executeTakeFirstOrThrow(),
    /** Number of alive chunks of documents that somebody may read: those of removed agents are left out, as in `countAlive`. */
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
