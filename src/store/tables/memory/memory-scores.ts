import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { MemoriesTable, Schema } from '../../schema/schema.js'
import { daysSince, listOf, rowNumber, thenJoin } from '../../sql/dialect.js'
import { holdersTable } from './holders.js'
import { countsOnce, holds, type ReadBoundary } from './memory-filter.js'
import { asTold } from './origin.js'

/** A memory that a session may start with; its content is cut. */
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
> & { score: number; characters: number }

export interface ScoreQuery {
  boundary: ReadBoundary
  /** Its rows, and those of no project. */
  project: string | null
  /** 0 scores by importance alone, 1 by recency alone. */
  recencyBias: number
  limit: number
  /** Ids to leave out. */
  except: readonly string[]
  /** Summaries of compactions that are left out: all of them, or those of the session with this key. */
  withoutCompactions: 'all' | { of: string | undefined }
  /** ISO timestamp: ages and validity count from it. */
  now: string
  /** Contents are cut to so many characters. */
  maxContent: number
}

/** As in the conditions of the indexes that this reads by: those of the first holders, and those of the others. */
const startable = sql`is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL
  AND type <> 'document_chunk'`
const tellable = sql`tellable = 1 AND scope IS NULL`
const level = sql`ROUND(importance, 2)`

/**
 * The memories that a session starts with: clean, alive, in force, not superseded and unscoped, best first by
 * `importance * (1 - recencyBias) + recencyBias / (1 + age in days)`; a pinned one always scores 1
 * (rules.md 1.4 and 4.12). Of rows of one importance the newest score best, so the newest few of every importance are
 * all that can win: however many rows there are, only these are read.
 */
export function memoryScores(db: Kysely<Schema>) {
  return {
    best: async (query: ScoreQuery): Promise<ScoredMemory[]> => {
      if (query.limit <= 0) return []
      const { recencyBias, limit, now, maxContent } = query
      // Nothing to look for where every memory has one holder.
      const others = (await holdersTable(db).any())
        ? {
            levels: sql`, held_levels (project, level) AS (${levelsOf('held_levels', 'memory_holders', tellable)})`,
            candidates: sql`UNION ${heldCandidates(query)}`,
          }
        : { levels: sql``, candidates: sql`` }
      // Scored by narrow rows first: contents are read of the best alone.
      const { rows } = await sql<ScoredMemory>`
        WITH RECURSIVE projects (project) AS (SELECT NULL UNION SELECT ${query.project}),
        levels (project, level) AS (${levelsOf('levels', 'memories', startable)})${others.levels},
        candidates (row) AS (${ownCandidates(query)} ${others.candidates}),
        best (row, score) AS (
          SELECT ${rowNumber('memories')}, CASE WHEN pinned = 1 THEN 1.0 ELSE importance * (1.0 - ${recencyBias})
            + ${recencyBias} / (1 + ${daysSince('created_at', now)}) END AS score
          FROM memories WHERE ${rowNumber('memories')} IN (SELECT row FROM candidates)
          ORDER BY score DESC, created_at DESC, id DESC LIMIT ${limit})
        SELECT id, substr(content, 1, ${maxContent}) AS content, length(content) AS characters, type, importance, tags,
          pinned, project, agent_id, visibility, source_type, source_id, created_at, score
        FROM best ${thenJoin} memories m ON ${rowNumber('m')} = best.row
        ORDER BY score DESC, created_at DESC, id DESC`.execute(db)
      return rows.map(row => asTold(row, query.boundary))
    },
  }
}

/** Every importance that occurs in a table, to two places, found by jumping from one to the next in its index. */
function levelsOf(name: string, table: string, condition: RawBuilder<unknown>) {
  const from = sql`FROM ${sql.table(table)} WHERE ${condition}`
  const first = sql`(SELECT ${level} ${from} AND project IS NOT DISTINCT FROM p.project ORDER BY ${level} DESC LIMIT 1)`
  const next = sql`(SELECT ${level} ${from} AND project IS NOT DISTINCT FROM l.project AND ${level} < l.level
    ORDER BY ${level} DESC LIMIT 1)`
  return sql`SELECT p.project, ${first} FROM projects p
    UNION ALL SELECT l.project, ${next} FROM ${sql.table(name)} l WHERE l.level IS NOT NULL`
}

/** By the first holder of each. */
function ownCandidates(query: ScoreQuery) {
  const chosen = sql`${holds('memories', query.boundary)} AND ${eligible(query)}
    ORDER BY created_at DESC LIMIT ${query.limit}`
  return sql`SELECT ${rowNumber('m')} FROM levels l ${thenJoin} memories m ON ${rowNumber('m')} IN (SELECT ${rowNumber('memories')} FROM memories
      WHERE ${startable} AND project IS NOT DISTINCT FROM l.project AND ${level} = l.level AND ${chosen})
    UNION
    SELECT ${rowNumber('m')} FROM projects p ${thenJoin} memories m ON ${rowNumber('m')} IN (SELECT ${rowNumber('memories')} FROM memories
      WHERE pinned = 1 AND ${startable} AND project IS NOT DISTINCT FROM p.project AND ${chosen})`
}

/** By the others: they carry what their index chooses by. Several of one memory count once, or they would fill the limit. */
function heldCandidates(query: ScoreQuery) {
  const { boundary, limit } = query
  const chosen = sql`h.tellable = 1 AND h.scope IS NULL AND ${holds('h', boundary)} AND ${countsOnce(boundary)}
    AND ${eligible(query)} ORDER BY h.created_at DESC LIMIT ${limit}`
  const held = sql`SELECT ${rowNumber('c')} FROM memory_holders h ${thenJoin} memories c ON c.id = h.memory_id`
  return sql`SELECT ${rowNumber('m')} FROM held_levels l ${thenJoin} memories m ON ${rowNumber('m')} IN (${held}
      WHERE h.project IS NOT DISTINCT FROM l.project AND ROUND(h.importance, 2) = l.level AND ${chosen})
    UNION
    SELECT ${rowNumber('m')} FROM projects p ${thenJoin} memories m ON ${rowNumber('m')} IN (${held}
      WHERE h.pinned = 1 AND h.project IS NOT DISTINCT FROM p.project AND ${chosen})`
}

function eligible({ boundary: { only }, except, withoutCompactions, now }: ScoreQuery) {
  const others =
    withoutCompactions === 'all'
      ? sql`FALSE`
      : sql`session_id IS DISTINCT FROM ${withoutCompactions.of ?? ''}`
  return sql`${only?.who === undefined ? sql`TRUE` : sql`who = ${only.who}`}
    AND (valid_from IS NULL OR valid_from <= ${now}) AND (valid_until IS NULL OR valid_until > ${now})
    AND (source_type IS DISTINCT FROM 'compaction' OR ${others})
    AND id NOT IN ${listOf(except)}`
}
