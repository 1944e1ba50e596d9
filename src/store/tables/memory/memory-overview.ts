import { expressionBuilder, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { MemoriesTable, Schema } from '../../schema/schema.js'
import { byIndex, listOf, rowNumber, rowsOf } from '../../sql/dialect.js'
import { type StatementParameters, shapedStatement } from '../../sql/fixed-statement.js'
import { sameProject } from '../../sql/same-project.js'
import { holdersTable } from './holders.js'
import { countsOnce, inBoundary, matchesHolder, type ReadBoundary, restrictProject } from './memory-filter.js'
import { markedWrong, notMarkedWrong } from './recall-ledger.js'
import {
  type HolderTable,
  heldRows,
  isHeld,
  isTold,
  levelsOf,
  newestOfTypes,
  projectsOf,
  toldRows,
} from './told.js'

/** A memory in an overview; its content is truncated. */
export type OverviewMemory = Pick<
  Selectable<MemoriesTable>,
  'id' | 'content' | 'type' | 'importance' | 'pinned' | 'project' | 'created_at'
>

/** The fields that show whether a memory is still valid; its content is truncated. */
export type MemoryState = Pick<
  Selectable<MemoriesTable>,
  'id' | 'content' | 'type' | 'is_deleted' | 'safety_status' | 'superseded_by' | 'valid_until'
>

export interface OverviewQuery {
  boundary: ReadBoundary
  project: string | null
  type: string
  limit: number
  /** ISO time; memories not in force at that time are excluded. */
  now: string
}

/** Contents are truncated to this length. */
const maxContent = 400

const toldMemories = toldRows('memories')

const columns = sql.raw(
  `id, substr(content, 1, ${maxContent}) AS content, ${[
    'type',
    'importance',
    'pinned',
    'project',
    'created_at',
  ]
    .map(name => `memories.${name}`)
    .join(', ')}`,
)

/** Matches a project under each of its keys, or none. @param project may be a parameter of a statement */
function isOf(column: string, project: unknown): RawBuilder<unknown> {
  return project === null ? sql`${sql.ref(column)} IS NULL` : sameProject(column, project)
}

/**
 * Selects the memories of a project through first and further holders; each has its own index.
 * @param project may be a parameter of a statement
 */
function holderConditions(boundary: ReadBoundary, project: unknown) {
  const { only } = boundary
  const byAuthor = only?.who === undefined ? sql`` : sql`AND who = ${only.who}`
  const seen = sql`${matchesHolder('memories', boundary)} ${byAuthor}`
  const seenThroughOthers = sql`${matchesHolder('h', boundary)} AND ${countsOnce(boundary)} ${byAuthor}`
  return {
    ...{ seen, seenThroughOthers },
    own: sql`${isTold.memories} AND ${isOf('memories.project', project)} AND ${seen}`,
    others: sql`${isHeld} AND ${isOf('h.project', project)} AND ${seenThroughOthers}`,
  }
}

/** Matches rows in force at a time that nobody marked as wrong. */
function inForce(now: string): RawBuilder<unknown> {
  return sql`${notMarkedWrong} AND (valid_from IS NULL OR valid_from <= ${now}) AND (valid_until IS NULL OR valid_until > ${now})`
}

/** The levels of one type in a project, for first and further holders. */
function levelsOfType(project: string | null, type: string): RawBuilder<unknown> {
  const types = rowsOf([type], 't')
  return sql`WITH RECURSIVE ${projectsOf(project)}, ${levelsOf('memories', types)}, ${levelsOf('memory_holders', types)}`
}

/** Memories of some types, with or without pinned ones of any type. */
export interface CountedKind {
  types: readonly string[]
  withPinned: boolean
}

function isOfKind({ types, withPinned }: CountedKind): RawBuilder<unknown> {
  const isOfType = sql`memories.type IN ${listOf(types)}`
  return withPinned ? sql`(${isOfType} OR memories.pinned = 1)` : sql`${isOfType} AND memories.pinned = 0`
}

interface CountQuery {
  project: string | null
  limit: number
}

/** Decides the text of the statement. */
interface CountShape {
  boundary: ReadBoundary
  only: CountedKind | undefined
  isOfNone: boolean
  /** False when no memory has further holders. */
  further: boolean
}

/** Counts numbers of rows, which compare faster than ids, and compares them only with further holders. */
function countIn(
  { boundary, only, isOfNone, further }: CountShape,
  { value }: StatementParameters<CountQuery>,
): RawBuilder<{ count: number }> {
  const limit = value(query => query.limit)
  const ofKind = only === undefined ? sql`` : sql`AND ${isOfKind(only)}`
  const projects = isOfNone ? [null] : [value(query => query.project), null]
  const parts = projects.flatMap(one => {
    const { own, others } = holderConditions(boundary, one)
    const rows = sql`FROM ${toldMemories} WHERE ${own}`
    return further ? [rows, sql`FROM ${heldRows} WHERE ${others}`] : [rows]
  })
  const numbers = parts.map(
    part =>
      sql`SELECT * FROM (SELECT ${rowNumber('memories')} AS number ${part} ${ofKind} LIMIT ${limit}) listed`,
  )
  // First holders of a project and of none are different memories.
  const all = sql.join(numbers, further ? sql` UNION ` : sql` UNION ALL `)
  return sql`SELECT count(*) AS count FROM (${all}) listed
    WHERE number NOT IN (SELECT ${rowNumber('memories')} FROM memories WHERE id IN (${markedWrong}))`
}

/** Live, clean, current memories without a scope, by project, type and time. */
export function memoryOverview(db: Kysely<Schema>) {
  /** Reads the newest of both parts and merges them. */
  const newest = async (
    { boundary, limit }: Pick<OverviewQuery, 'boundary' | 'limit'>,
    parts: { own: RawBuilder<unknown>; others: RawBuilder<unknown> },
    tables = sql``,
  ): Promise<OverviewMemory[]> => {
    const { rows } = await sql<OverviewMemory>`${tables}
      SELECT * FROM (SELECT ${columns} ${parts.own}
        ORDER BY memories.created_at DESC, id DESC LIMIT ${limit}) listed
      UNION
      SELECT * FROM (SELECT ${columns} ${parts.others}
        ORDER BY memories.created_at DESC, id DESC LIMIT ${limit}) listed
      ORDER BY created_at DESC, id DESC LIMIT ${limit}`.execute(db)
    return rows.map(row => restrictProject(row, boundary))
  }
  const holders = holdersTable(db)
  const toldNumber = shapedStatement<CountShape, CountQuery, { count: number }>(db, countIn)
  return {
    /**
     * Returns the next projects by name without an access check, skipping from one to the next in the index.
     */
    projectsAfter: async (after: string, limit: number): Promise<string[]> => {
      const nextIn = (rows: RawBuilder<unknown>, than: RawBuilder<unknown>) =>
        sql`SELECT * FROM (SELECT project ${rows} AND project > ${than} ORDER BY project LIMIT 1) listed`
      const next = (than: RawBuilder<unknown>) => sql`(SELECT min(project) FROM (
        ${nextIn(sql`FROM ${toldMemories} WHERE ${isTold.memories}`, than)} UNION ALL
        ${nextIn(sql`FROM memory_holders h WHERE ${isHeld}`, than)}) listed)`
      const { rows } = await sql<{ project: string }>`
        WITH RECURSIVE found (project) AS (
          SELECT ${next(sql`${after}`)} UNION ALL SELECT ${next(sql`found.project`)} FROM found
          WHERE found.project IS NOT NULL)
        SELECT project FROM found WHERE project IS NOT NULL LIMIT ${limit}`.execute(db)
      return rows.map(row => row.project)
    },
    /** Returns when the newest row of a project and type was created; undefined when the reader sees none. */
    newestAt: async (
      boundary: ReadBoundary,
      project: string | null,
      type: string,
    ): Promise<string | undefined> => {
      const { seen, seenThroughOthers } = holderConditions(boundary, project)
      const newestIn = (table: HolderTable, where: RawBuilder<unknown>) =>
        sql`SELECT created_at FROM ${newestOfTypes(table, { where, limit: 1 }, 'memories')}`
      const { rows } = await sql<{ newest: string | null }>`${levelsOfType(project, type)}
        SELECT max(created_at) AS newest FROM (
          ${newestIn('memories', seen)} UNION ALL ${newestIn('memory_holders', seenThroughOthers)}) listed`.execute(
        db,
      )
      return rows[0]?.newest ?? undefined
    },
    /** Counts the rows of a project; a row with several holders there counts once. */
    countOf: async (boundary: ReadBoundary, project: string | null, type: string): Promise<number> => {
      const { own, others } = holderConditions(boundary, project)
      const { rows } = await sql<{ count: number }>`SELECT
        (SELECT count(*) FROM ${toldMemories} WHERE type = ${type} AND ${own})
        + (SELECT count(*) FROM ${heldRows} WHERE h.type = ${type} AND ${others} AND NOT (${own})) AS count`.execute(
        db,
      )
      return rows[0]?.count ?? 0
    },
    /**
     * Counts the memories of a project and of none up to a limit; of all types, or only some. Those marked as
     * wrong are not counted, since no session gets them.
     */
    countTold: async (
      boundary: ReadBoundary,
      project: string | null,
      limit: number,
      only?: CountedKind,
    ): Promise<number> => {
      const shape = { boundary, only, isOfNone: project === null, further: await holders.any() }
      const [row] = await toldNumber(shape, { project, limit })
      return Math.min(row?.count ?? 0, limit)
    },
    newestOf: async ({ type, ...query }: OverviewQuery): Promise<OverviewMemory[]> => {
      const { seen, seenThroughOthers } = holderConditions(query.boundary, query.project)
      const rowsIn = (table: HolderTable, where: RawBuilder<unknown>) => {
        const chosen = { where: sql`${where} AND ${inForce(query.now)}`, limit: query.limit }
        return sql`FROM ${newestOfTypes(table, { ...chosen, tie: sql`, id DESC` }, 'memories')}`
      }
      const parts = { own: rowsIn('memories', seen), others: rowsIn('memory_holders', seenThroughOthers) }
      return newest(query, parts, levelsOfType(query.project, type))
    },
    /** Returns pinned rows of a project, newest first. */
    pinnedOf: async (query: Omit<OverviewQuery, 'type'>): Promise<OverviewMemory[]> => {
      const { own, others } = holderConditions(query.boundary, query.project)
      const rows = inForce(query.now)
      return newest(query, {
        own: sql`FROM ${byIndex('memories', 'memories_pinned')} WHERE pinned = 1 AND ${own} AND ${rows}`,
        others: sql`FROM ${heldRows} WHERE h.pinned = 1 AND ${others} AND ${rows}`,
      })
    },
    /** Returns states of the given ids inside the boundary, forgotten ones included, unordered. */
    statesOf: async (ids: readonly string[], boundary: ReadBoundary): Promise<MemoryState[]> => {
      const visible = inBoundary(expressionBuilder<Schema, 'memories'>(), boundary)
      const { rows } = await sql<MemoryState>`
        SELECT id, substr(content, 1, ${maxContent}) AS content, type, is_deleted, safety_status, superseded_by, valid_until
        FROM memories WHERE id IN ${listOf(ids)} AND ${visible}`.execute(db)
      return rows
    },
    /** Returns when the oldest live row was created; undefined when there is none. */
    oldestAt: async (): Promise<string | undefined> => {
      const { rows } = await sql<{ created_at: string }>`
        SELECT created_at FROM ${byIndex('memories', 'memories_recent')} WHERE is_deleted = 0
        ORDER BY created_at LIMIT 1`.execute(db)
      return rows[0]?.created_at
    },
  }
}
