import type { Insertable, Kysely, Selectable } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { ContinuityScoresTable } from '../../schema/transcript-schema.js'
import { deleteOlder } from '../../sql/delete-older.js'
import { sameProject } from '../../sql/same-project.js'

export type ContinuityRow = Selectable<ContinuityScoresTable>
export type NewContinuityScore = Insertable<ContinuityScoresTable>

export interface ContinuityFilter {
  /** Undefined selects all agents. */
  agentId?: string | undefined
  project?: string | undefined
}

/** Continuity of sessions (telemetry.md 7). */
export function continuityScoresTable(db: Kysely<Schema>) {
  const selectScores = ({ agentId, project }: ContinuityFilter) =>
    db
      .selectFrom('continuity_scores')
      .$if(agentId !== undefined, query => query.where('agent_id', '=', agentId as string))
      .$if(project !== undefined, query => query.where(sameProject('project', project)))
  return {
    /** Saves a session's score, replacing an earlier one. */
    put: async ({ id, agent_id, session_key, ...row }: NewContinuityScore): Promise<void> => {
      await db
        .insertInto('continuity_scores')
        .values({ id, agent_id, session_key, ...row })
        .onConflict(conflict => conflict.columns(['agent_id', 'session_key']).doUpdateSet(row))
        .execute()
    },
    newest: (filter: ContinuityFilter, limit: number): Promise<ContinuityRow[]> =>
      selectScores(filter)
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    /** Deletes the oldest scores before the given time, at most `limit`. @returns the number deleted. */
    purge: (before: string, limit: number): Promise<number> =>
      deleteOlder(db, 'continuity_scores', before, limit),
  }
}
