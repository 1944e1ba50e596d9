import { expressionBuilder, type Kysely, type Selectable, sql } from 'kysely'
import type { MemoriesTable, Schema } from '../schema.js'
import { inBoundary, type ReadBoundary } from './memory-filter.js'

/** A memory as an overview tells of it; its content is cut. */
export type OverviewMemory = Pick<
  Selectable<MemoriesTable>,
  'id' | 'content' | 'type' | 'importance' | 'pinned' | 'project' | 'created_at'
>

/** Whether a memory still holds; its content is cut. */
export type MemoryState = Pick<
  Selectable<MemoriesTable>,
  'id' | 'content' | 'type' | 'is_deleted' | 'safety_status' | 'superseded_by' | 'valid_until'
>

export interface OverviewQuery {
  boundary: ReadBoundary
  project: string | null
  type: string
  limit: number
  /** ISO timestamp: what is no longer or not yet in force then is left out. */
  now: string
}

/** Contents are told by their beginning. */
const maxContent = 400

/** As in the condition of the index that this reads by. */
const telling = sql`is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL`

const columns = sql.raw(
  `id, substr(content, 1, ${maxContent}) AS content, type, importance, pinned, project, created_at`,
)

/** What there is to tell of all memories: alive, clean, not superseded and without a scope, by project, type and time. */
export function memoryOverview(db: Kysely<Schema>) {
  const visibleTo = (boundary: ReadBoundary) =>
    sql`${inBoundary(expressionBuilder<Schema, 'memories'>(), boundary)}`
  const inForce = (now: string) =>
    sql`(valid_from IS NULL OR valid_from <= ${now}) AND (valid_until IS NULL OR valid_until > ${now})`
  return {
    /** The first projects by name after the given one, whoever may see their rows; jumps from one to the next. */
    projectsAfter: async (after: string, limit: number): Promise<string[]> => {
      const next = (than: ReturnType<typeof sql>) =>
        sql`(SELECT project FROM memories INDEXED BY memories_overview WHERE ${telling} AND project > ${than}
          ORDER BY project LIMIT 1)`
      const { rows } = await sql<{ project: string }>`
        WITH RECURSIVE found (project) AS (
          SELECT ${next(sql`${after}`)} UNION ALL SELECT ${next(sql`found.project`)} FROM found
          WHERE found.project IS NOT NULL LIMIT ${limit})
        SELECT project FROM found WHERE project IS NOT NULL`.execute(db)
      return rows.map(row => row.project)
    },
    /** When the newest row of a project and type was made; undefined when the reader sees none. */
    newestAt: async (
      boundary: ReadBoundary,
      project: string | null,
      type: string,
    ): Promise<string | undefined> => {
      const { rows } = await sql<{ created_at: string }>`
        SELECT created_at FROM memories INDEXED BY memories_overview
        WHERE ${telling} AND project IS ${project} AND type = ${type} AND ${visibleTo(boundary)}
        ORDER BY created_at DESC LIMIT 1`.execute(db)
      return rows[0]?.created_at
    },
    countOf: async (boundary: ReadBoundary, project: string | null, type: string): Promise<number> => {
      const { rows } = await sql<{ count: number }>`
        SELECT count(*) AS count FROM memories INDEXED BY memories_overview
        WHERE ${telling} AND project IS ${project} AND type = ${type} AND ${visibleTo(boundary)}`.execute(db)
      return rows[0]?.count ?? 0
    },
    /** Newest first. */
    newestOf: async ({ boundary, project, type, limit, now }: OverviewQuery): Promise<OverviewMemory[]> => {
      const { rows } = await sql<OverviewMemory>`
        SELECT ${columns} FROM memories INDEXED BY memories_overview
        WHERE ${telling} AND project IS ${project} AND type = ${type} AND ${visibleTo(boundary)} AND ${inForce(now)}
        ORDER BY created_at DESC, id DESC LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Pinned ones of a project, newest first. */
    pinnedOf: async ({
      boundary,
      project,
      limit,
      now,
    }: Omit<OverviewQuery, 'type'>): Promise<OverviewMemory[]> => {
      const { rows } = await sql<OverviewMemory>`
        SELECT ${columns} FROM memories INDEXED BY memories_pinned
        WHERE pinned = 1 AND ${telling} AND project IS ${project} AND ${visibleTo(boundary)} AND ${inForce(now)}
        ORDER BY created_at DESC, id DESC LIMIT ${limit}`.execute(db)
      return rows
    },
    /** States of the given ids inside the boundary, forgotten ones included, in no order. */
    statesOf: async (ids: readonly string[], boundary: ReadBoundary): Promise<MemoryState[]> => {
      const { rows } = await sql<MemoryState>`
        SELECT id, substr(content, 1, ${maxContent}) AS content, type, is_deleted, safety_status, superseded_by, valid_until
        FROM memories WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${visibleTo(boundary)}`.execute(
        db,
      )
      return rows
    },
    /** When the oldest row that is alive was made; undefined when there is none. */
    oldestAt: async (): Promise<string | undefined> => {
      const { rows } = await sql<{ created_at: string }>`
        SELECT created_at FROM memories INDEXED BY memories_recent WHERE is_deleted = 0
        ORDER BY created_at LIMIT 1`.execute(db)
      return rows[0]?.created_at
    },
  }
}
