import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { MemoriesTable, Schema } from '../../schema/schema.js'
import { daysSince, joinNumbers, listOf, rowNumber, thenJoin } from '../../sql/dialect.js'
import { holdersTable } from './holders.js'
import {
  type BranchFilter,
  countsOnce,
  matchesBranches,
  matchesHolder,
  type ReadBoundary,
} from './memory-filter.js'
import { restrictForReader } from './origin.js'
import { judgementOfRow } from './recall-ledger.js'
import { type HolderTable, levelsOf, newestOfLevels, newestOfProject } from './told.js'

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
  return {
    best: async (query: ScoreQuery): Promise<ScoredMemory[]> => {
      if (query.limit <= 0) return []
      const { recencyBias, isAgeless, limit, now, maxContent, types } = query
      const scoreBy = (bias: number) => sql`CASE WHEN pinned = 1 THEN 1.0 ELSE importance * (1.0 - ${bias})
        + ${bias} / (1 + ${daysSince('created_at', now)}) END`
      // Skips further holders when there are none.
      const others = (await holdersTable(db).any())
        ? {
            levels: sql`, ${levelsOf('memory_holders', types)}`,
            candidates: sql`UNION ${heldCandidates(query)}`,
          }
        : { levels: sql``, candidates: sql`` }
      // Scores narrow rows first and reads only the contents of the best.
      const { rows } = await sql<ScoredMemory>`
        WITH RECURSIVE projects (project) AS (SELECT NULL UNION SELECT ${query.project} UNION
          SELECT key FROM project_keys WHERE project_keys.project = ${query.project}),
        ${levelsOf('memories', types)}${others.levels},
        candidates (row) AS (${ownCandidates(query)} ${others.candidates}),
        best (row, score, place) AS (
          SELECT ${rowNumber('memories')}, ${scoreBy(recencyBias)}, ${scoreBy(isAgeless ? 0 : recencyBias)} AS place
          FROM memories WHERE ${rowNumber('memories')} IN (SELECT row FROM candidates)
          ORDER BY place DESC, created_at DESC, id DESC LIMIT ${limit})
        SELECT id, substr(content, 1, ${maxContent}) AS content, length(content) AS characters, type, importance, tags,
          pinned, project, agent_id, visibility, source_type, source_id, created_at, access_count, layout, score,
          ${judgementOfRow} AS judged
        FROM best ${thenJoin} memories m ON ${rowNumber('m')} = best.row
        ORDER BY place DESC, created_at DESC, id DESC`.execute(db)
      return rows.map(row => restrictForReader(row, query.boundary))
    },
  }
}

/** Candidates through their first holders. */
function ownCandidates(query: ScoreQuery) {
  const { boundary } = query
  return candidatesOf('memories', query, sql`${matchesHolder('memories', boundary)} AND ${eligible(query)}`)
}

/**
 * Candidates through further holders, whose rows repeat the columns of the index. Several holders of one
 * memory count once, so that they do not fill the limit.
 */
function heldCandidates(query: ScoreQuery) {
  const { boundary } = query
  return candidatesOf(
    'memory_holders',
    query,
    sql`${matchesHolder('h', boundary)} AND ${countsOnce(boundary)} AND ${eligible(query)}`,
  )
}

/**
 * The newest rows of each level, with types given only the newest of each type whatever their level, and
 * pinned rows.
 */
function candidatesOf(table: HolderTable, { types, limit }: ScoreQuery, where: RawBuilder<unknown>) {
  const read = types ? scoredOfType : limit
  const best = types
    ? sql`SELECT number FROM (SELECT ${rowNumber('m')} AS number,
          row_number() OVER (PARTITION BY l.project, l.type ORDER BY m.created_at DESC) AS place
        FROM ${newestOfLevels(table, { where, limit: read }, 'm')}) listed WHERE place <= ${scoredOfType}`
    : sql`SELECT ${rowNumber('m')} FROM ${newestOfLevels(table, { where, limit: read })}`
  const isPinned = sql`${sql.ref(table === 'memories' ? 'memories.pinned' : 'h.pinned')} = 1`
  const pinned = newestOfProject(table, 'p.project', { where: sql`${isPinned} AND ${where}`, limit: read })
  return sql`${best} UNION SELECT ${rowNumber('m')} FROM projects p ${joinNumbers('memories', 'm', pinned)}`
}

function eligible({ boundary: { only }, except, withoutCompactions, branches, now }: ScoreQuery) {
  const others =
    withoutCompactions === 'all'
      ? sql`FALSE`
      : sql`session_id IS DISTINCT FROM ${withoutCompactions.of ?? ''}`
  return sql`${only?.who === undefined ? sql`TRUE` : sql`who = ${only.who}`}
    AND (valid_from IS NULL OR valid_from <= ${now}) AND (valid_until IS NULL OR valid_until > ${now})
    AND (expires_at IS NULL OR expires_at > ${now} OR memories.pinned = 1)
    AND (source_type IS DISTINCT FROM 'compaction' OR ${others})
    AND id NOT IN ${listOf(except)} AND ${branches ? matchesBranches('memories', branches) : sql`TRUE`}`
}
