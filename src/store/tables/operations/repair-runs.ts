import type { Insertable, Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { RepairRunsTable } from '../../schema/operations-schema.js'
import type { Schema } from '../../schema/schema.js'

export type RepairRun = Selectable<RepairRunsTable>

/** Runs that go with a new one when they are too old; more of them go with the next. */
const purgedAtOnce = 200

/** Calls of repairs that were let in, by which their limits count. */
export function repairRunsTable(db: Kysely<Schema>) {
  return {
    /** Notes that one begins, and takes out what is older than anybody asks for. */
    begin: async (run: Insertable<RepairRunsTable>, keptSince: string): Promise<void> => {
      await db.insertInto('repair_runs').values(run).execute()
      await db
        .deleteFrom('repair_runs')
        .where('id', 'in', eb =>
          eb
            .selectFrom('repair_runs')
            .select('id')
            .where('action', '=', run.action)
            .where('started_at', '<', keptSince)
            .orderBy('started_at')
            .limit(purgedAtOnce),
        )
        .execute()
    },
    end: async (
      id: string,
      {
        outcome,
        affected,
        message,
        ended_at,
      }: Omit<RepairRun, 'id' | 'action' | 'agent_id' | 'actor' | 'started_at'>,
    ): Promise<void> => {
      await db
        .updateTable('repair_runs')
        .set({ outcome, affected, message, ended_at })
        .where('id', '=', id)
        .execute()
    },
    /** Those that the process before left open were cut short. */
    endOpen: async (now: string): Promise<void> => {
      await db
        .updateTable('repair_runs')
        .set({ outcome: 'interrupted', ended_at: now })
        // As in the condition of the index.
        .where(sql<boolean>`ended_at IS NULL`)
        .execute()
    },
    /** The newest of an action since a time, newest first. */
    since: (action: string, time: string, limit: number): Promise<Pick<RepairRun, 'started_at'>[]> =>
      db
        .selectFrom('repair_runs')
        .select('started_at')
        .where('action', '=', action)
        .where('started_at', '>', time)
        .orderBy('started_at', 'desc')
        .limit(limit)
        .execute(),
    /** The last run of an action; undefined when there was none lately. */
    last: (action: string): Promise<RepairRun | undefined> =>
      db
        .selectFrom('repair_runs')
        .selectAll()
        .where('action', '=', action)
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst(),
  }
}
