import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { MemoriesTable, Schema } from '../../schema/schema.js'
import { daysSince, joinByKey, joinNumbers, rowNumber } from '../../sql/dialect.js'
import { type StatementParameters, shapedStatement } from '../../sql/fixed-statement.js'
import {
  type BranchFilter,
  countsOnce,
  matchesBranches,
  matchesHolder,
  type ReadBoundary,
  restrictForReader,
} from './memory-filter.js'
import { judgementOfRow } from './recall-ledger.js'
import { type HolderTable, levelsOf, newestOfLevels, newestOfProject, newestOfTypes } from './told.js'

/** A candidate memory for the start of a session; its content is truncated. */
export type ScoredMemory = Pick<
  Selectable<MemoriesTable>,
  | 'id'
  | 'content'
  | 'type'
  | 'importance'
  | 'tags'
  | 'pinned'
  | 'project'
  | 'agent_id'
  | 'visibility'
  | 'source_type'
  | 'source_id'
  | 'created_at'
  | 'access_count'
  | 'layout'
> & { score: number; characters: number; judged: number | null }

export interface ScoreQuery {
  boundary: ReadBoundary
  /** Includes rows of this project and of none. */
  project: string | null
  /** 0 scores by importance alone, 1 by recency alone. */
  recencyBias: number
  /** Orders by importance, then the newest; the score stays the same. */
  isAgeless?: boolean | undefined
  limit: number
  /** Ids to exclude. */
  except: readonly string[]
  /** Excludes summaries of compactions: all of them, or those of the session with this key. */
  withoutCompactions: 'all' | { of: string | undefined }
  branches?: BranchFilter | undefined
  /** False when no memory has further holders, which are then not looked up. */
  further: boolean
  /** Only rows of these types, and pinned ones of any type. */
  types?: readonly string[] | undefined
  /** ISO time for ages and validity. */
  now: string
  /** Contents are truncated to this many characters. */
  maxContent: number
}

/** Newest rows of one type in one project that are scored. */
const scoredOfType = 300

/**
 * Selects memories for the start of a session: clean, live, in force, current and without a scope, best first
 * by `importance * (1 - recencyBias) + recencyBias / (1 + age in days)`; pinned ones score 1 (rules.md 1.4
 * and 4.12). Among rows of equal type and importance the newest score best, so only the newest few of each
 * are read.
 */
export function memoryScores(db: Kysely<Schema>) {
  const bestOf = shapedStatement<ScoreShape, ScoreQuery, ScoredMemory>(db, scoresIn)
  return {
    best: async (query: ScoreQuery): Promise<ScoredMemory[]> => {
      if (query.limit <= 0) return []
      const { boundary, branches, further, types, withoutCompactions } = query
      const shape = {
        ...{ boundary, branches },
        ofTypes: types !== undefined,
        compactions: withoutCompactions !== 'all',
        further,
      }
      const rows = await bestOf(shape, query)
      return rows.map(row => restrictForReader(row, boundary))
    },
  }
}

/** Decides the text of the statement. */
interface ScoreShape extends Pick<ScoreQuery, 'boundary' | 'branches'> {
  ofTypes: boolean
  compactions: boolean
  further: boolean
}

type Places = StatementParameters<ScoreQuery>

/** Scores narrow rows first and reads only the contents of the best. */
function scoresIn(shape: ScoreShape, places: Places): RawBuilder<ScoredMemory> {
  const { value } = places
  const now = value(query => query.now)
  const project = value(query => query.project)
  const types = shape.ofTypes ? places.rows(query => query.types ?? [], 't') : undefined
  const scoreBy = (
    bias: RawBuilder<number>,
  ) => sql`CASE WHEN pinned = 1 THEN 1.0 ELSE importance * (1.0 - ${bias})
    + ${bias} / (1 + ${daysSince('created_at', now)}) END`
  const score = scoreBy(value(query => query.recencyBias))
  const place = scoreBy(value(query => (query.isAgeless ? 0 : query.recencyBias)))
  const others = shape.further
    ? { levels: sql`, ${levelsOf('memory_holders', types)}`, candidates: sql`UNION ${held(shape, places)}` }
    : { levels: sql``, candidates: sql`` }
  return sql<ScoredMemory>`
    WITH RECURSIVE projects (project) AS (SELECT NULL UNION SELECT ${project} UNION
      SELECT key FROM project_keys WHERE project_keys.project = ${project}),
    ${levelsOf('memories', types)}${others.levels},
    candidates (row) AS (${own(shape, places)} ${others.candidates}),
    best (row, score, place) AS (
      SELECT ${rowNumber('memories')}, ${score}, ${place} AS place
      FROM candidates ${joinByKey('memories', 'memories', sql`candidates.row`)}
      ORDER BY place DESC, created_at DESC, id DESC LIMIT ${value(query => query.limit)})
    SELECT id, substr(content, 1, ${value(query => query.maxContent)}) AS content, length(content) AS characters,
      type, importance, tags, pinned, project, agent_id, visibility, source_type, source_id, created_at,
      access_count, layout, score, ${judgementOfRow} AS judged
    FROM best ${joinByKey('memories', 'm', sql`best.row`)}
    ORDER BY place DESC, created_at DESC, id DESC`
}

/** Candidates through their first holders. */
function own(shape: ScoreShape, places: Places) {
  const where = sql`${matchesHolder('memories', shape.boundary)} AND ${eligible(shape, places)}`
  return candidatesOf('memories', shape, places, where)
}

/**
 * Candidates through further holders, whose rows repeat the columns of the index. Several holders of one
 * memory count once, so that they do not fill the limit.
 */
function held(shape: ScoreShape, places: Places) {
  const { boundary } = shape
  const where = sql`${matchesHolder('h', boundary)} AND ${countsOnce(boundary)} AND ${eligible(shape, places)}`
  return candidatesOf('memory_holders', shape, places, where)
}

/**
 * The newest rows of each level, with types given only the newest of each type whatever their level, and
 * pinned rows.
 */
function candidatesOf(
  table: HolderTable,
  { ofTypes }: ScoreShape,
  { value }: Places,
  where: RawBuilder<unknown>,
) {
  const limit = ofTypes ? scoredOfType : value(query => query.limit)
  const best = ofTypes
    ? sql`SELECT number FROM (SELECT ${rowNumber('m')} AS number,
          row_number() OVER (PARTITION BY l.project, l.type ORDER BY m.created_at DESC) AS place
        FROM ${newestOfTypes(table, { where, limit }, 'm')}) listed WHERE place <= ${scoredOfType}`
    : sql`SELECT ${rowNumber('m')} FROM ${newestOfLevels(table, { where, limit })}`
  const isPinned = sql`${sql.ref(table === 'memories' ? 'memories.pinned' : 'h.pinned')} = 1`
  const pinned = newestOfProject(table, 'p.project', { where: sql`${isPinned} AND ${where}`, limit })
  return sql`${best} UNION SELECT ${rowNumber('m')} FROM projects p ${joinNumbers('memories', 'm', pinned)}`
}

function eligible({ boundary: { only }, branches, compactions }: ScoreShape, { value, rows }: Places) {
  const now = value(query => query.now)
  const others = compactions ? sql`session_id IS DISTINCT FROM ${value(sessionOf)}` : sql`FALSE`
  return sql`${only?.who === undefined ? sql`TRUE` : sql`who = ${only.who}`}
    AND (valid_from IS NULL OR valid_from <= ${now}) AND (valid_until IS NULL OR valid_until > ${now})
    AND (expires_at IS NULL OR expires_at > ${now} OR memories.pinned = 1)
    AND (source_type IS DISTINCT FROM 'compaction' OR ${others})
    AND id NOT IN (SELECT value FROM ${rows(query => query.except, 'known')})
    AND ${branches ? matchesBranches('memories', branches) : sql`TRUE`}`
}

/** The session whose own compactions are left out. */
function sessionOf({ withoutCompactions }: ScoreQuery): string {
  return withoutCompactions === 'all' ? '' : (withoutCompactions.of ?? '')
}
