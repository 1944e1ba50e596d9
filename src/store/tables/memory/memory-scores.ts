import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { MemoriesTable, Schema } from '../../schema/schema.js'
import { daysSince, joinNumbers, listOf, rowNumber, rowsOf, sameOrNull, thenJoin } from '../../sql/dialect.js'
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

/** Match the conditions of the indexes on first and on further holders. */
const startable = sql`is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL
  AND type <> 'document_chunk'`
const tellable = sql`tellable = 1 AND scope IS NULL`
/** Newest rows of one type in one project that are scored. */
const scoredOfType = 300
const level = sql`ROUND(importance, 2)`

/**
 * Selects memories for the start of a session: clean, live, in force, current and without a scope, best first
 * by `importance * (1 - recencyBias) + recencyBias / (1 + age in days)`; pinned ones score 1 (rules.md 1.4
 * and 4.12). Among rows of equal importance the newest score best, so only the newest few of each importance
 * are read.
 */
export function memoryScores(db: Kysely<Schema>) {
  return {
    best: async (query: ScoreQuery): Promise<ScoredMemory[]> => {
      if (query.limit <= 0) return []
      const { recencyBias, isAgeless, limit, now, maxContent } = query
      const scoreBy = (bias: number) => sql`CASE WHEN pinned = 1 THEN 1.0 ELSE importance * (1.0 - ${bias})
        + ${bias} / (1 + ${daysSince('created_at', now)}) END`
      // Skips further holders when there are none.
      const others = (await holdersTable(db).any())
        ? {
            levels: sql`, held_levels (project, level) AS (${levelsOf('held_levels', 'memory_holders', tellable)})`,
            candidates: sql`UNION ${heldCandidates(query)}`,
          }
        : { levels: sql``, candidates: sql`` }
      // Scores narrow rows first and reads only the contents of the best.
      const { rows } = await sql<ScoredMemory>`
        WITH RECURSIVE projects (project) AS (SELECT NULL UNION SELECT ${query.project} UNION
          SELECT key FROM project_keys WHERE project_keys.project = ${query.project}),
        levels (project, level) AS (${levelsOf('levels', 'memories', startable)})${others.levels},
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

/** Lists the distinct importances, to two decimals, by skipping through the index. */
function levelsOf(name: string, table: string, condition: RawBuilder<unknown>) {
  const best = (of: string, further: RawBuilder<unknown>) =>
    sameOrNull(
      'project',
      of,
      (same, first) => sql`SELECT ${level} AS level FROM ${sql.table(table)}
        WHERE ${condition} AND ${same} ${further} ORDER BY ${first} ${level} DESC LIMIT 1`,
    )
  return sql`SELECT p.project, (${best('p.project', sql``)}) FROM projects p
    UNION ALL SELECT l.project, (${best('l.project', sql`AND ${level} < l.level`)})
    FROM ${sql.table(name)} l WHERE l.level IS NOT NULL`
}

/** Candidates through their first holders. */
function ownCandidates(query: ScoreQuery) {
  const limit = query.types ? scoredOfType : query.limit
  const chosen = sql`${startable} AND ${matchesHolder('memories', query.boundary)} AND ${eligible('memories', query)}`
  const own = (of: string, which: RawBuilder<unknown>) =>
    joinNumbers(
      'memories',
      'm',
      sameOrNull(
        'project',
        of,
        (same, first) => sql`SELECT ${rowNumber('memories')} FROM memories
          WHERE ${chosen} AND ${same} AND ${which} ORDER BY ${first} created_at DESC LIMIT ${limit}`,
      ),
    )
  const best = query.types
    ? sql`projects p ${thenJoin} ${rowsOf(query.types, 't')} ON TRUE ${own('p.project', sql`type = t.value`)}`
    : sql`levels l ${own('l.project', sql`${level} = l.level`)}`
  return sql`SELECT ${rowNumber('m')} FROM ${best}
    UNION SELECT ${rowNumber('m')} FROM projects p ${own('p.project', sql`pinned = 1`)}`
}

/**
 * Candidates through further holders, whose rows repeat the columns of the index. Several holders of one
 * memory count once, so that they do not fill the limit.
 */
function heldCandidates(query: ScoreQuery) {
  const { boundary, types } = query
  const limit = types ? scoredOfType : query.limit
  const chosen = sql`h.tellable = 1 AND h.scope IS NULL AND ${matchesHolder('h', boundary)} AND ${countsOnce(boundary)}
    AND ${eligible('c', query)}`
  const held = (of: string, which: RawBuilder<unknown>) =>
    joinNumbers(
      'memories',
      'm',
      sameOrNull(
        'h.project',
        of,
        (same, first) => sql`SELECT ${rowNumber('c')}
          FROM memory_holders h ${thenJoin} memories c ON c.id = h.memory_id
          WHERE ${same} AND ${which} AND ${chosen} ORDER BY ${first} h.created_at DESC LIMIT ${limit}`,
      ),
    )
  const best = types
    ? sql`projects p ${thenJoin} ${rowsOf(types, 't')} ON TRUE ${held('p.project', sql`h.type = t.value`)}`
    : sql`held_levels l ${held('l.project', sql`ROUND(h.importance, 2) = l.level`)}`
  return sql`SELECT ${rowNumber('m')} FROM ${best}
    UNION SELECT ${rowNumber('m')} FROM projects p ${held('p.project', sql`h.pinned = 1`)}`
}

function eligible(
  table: string,
  { boundary: { only }, except, withoutCompactions, branches, now }: ScoreQuery,
) {
  const others =
    withoutCompactions === 'all'
      ? sql`FALSE`
      : sql`session_id IS DISTINCT FROM ${withoutCompactions.of ?? ''}`
  return sql`${only?.who === undefined ? sql`TRUE` : sql`who = ${only.who}`}
    AND (valid_from IS NULL OR valid_from <= ${now}) AND (valid_until IS NULL OR valid_until > ${now})
    AND (expires_at IS NULL OR expires_at > ${now} OR ${sql.ref(`${table === 'c' ? 'c' : table}.pinned`)} = 1)
    AND (source_type IS DISTINCT FROM 'compaction' OR ${others})
    AND id NOT IN ${listOf(except)} AND ${branches ? matchesBranches(table, branches) : sql`TRUE`}`
}
