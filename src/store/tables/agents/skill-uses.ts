import { type Insertable, type Kysely, sql } from 'kysely'
import type { Schema, SkillUsesTable } from '../../schema/schema.js'
import { byIndex } from '../../sql/dialect.js'

/** An agent and the earliest time, ISO 8601; '' for all. */
export interface UseWindow {
  agentId: string
  since: string
}

/** Uses of one skill, with the totals of all skills in the window. */
export interface SkillCount {
  skill: string
  count: number
  successCount: number
  averageMs: number | null
  allCount: number
  allSuccessCount: number
  /** Uses with a recorded latency. */
  allTimed: number
}

/** Uses of skills (skills.md 6). */
export function skillUsesTable(db: Kysely<Schema>) {
  return {
    add: async (use: Insertable<SkillUsesTable>): Promise<void> => {
      await db.insertInto('skill_uses').values(use).execute()
    },
    /** Returns the most used skills with the totals, in one index scan. */
    most: async ({ agentId, since }: UseWindow, limit: number): Promise<SkillCount[]> => {
      const { rows } = await sql<SkillCount>`
        SELECT skill, uses AS "count", successes AS "successCount", average AS "averageMs",
          SUM(uses) OVER () AS "allCount", SUM(successes) OVER () AS "allSuccessCount", SUM(timed) OVER () AS "allTimed"
        FROM (
          SELECT skill, COUNT(*) AS uses, SUM(success) AS successes, AVG(latency_ms) AS average, COUNT(latency_ms) AS timed
          FROM ${byIndex('skill_uses', 'skill_uses_counts')}
          WHERE agent_id = ${agentId} AND at >= ${since}
          GROUP BY skill
        ) AS counts
        ORDER BY uses DESC, skill
        LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Returns the latency at a rank (0 is the lowest) in a window. */
    latencyAt: async ({ agentId, since }: UseWindow, rank: number): Promise<number | undefined> => {
      const { rows } = await sql<{ ms: number }>`
        SELECT latency_ms AS ms FROM ${byIndex('skill_uses', 'skill_uses_latency')}
        WHERE agent_id = ${agentId} AND latency_ms IS NOT NULL AND at >= ${since}
        ORDER BY latency_ms LIMIT 1 OFFSET ${rank}`.execute(db)
      return rows[0]?.ms
    },
    /** Deletes the oldest uses before the given time, at most `limit`. @returns the number deleted. */
    purge: async (before: string, limit: number): Promise<number> => {
      const { numDeletedRows } = await db
        .deleteFrom('skill_uses')
        .where('id', 'in', eb =>
          eb.selectFrom('skill_uses').select('id').where('at', '<', before).orderBy('at').limit(limit),
        )
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}
