import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { RepairOperationsTable, RepairRunsTable } from '../../schema/operations-schema.js'
import type { Schema } from '../../schema/schema.js'
import { isHeld } from '../platform/nodes.js'

export type RepairRun = Selectable<RepairRunsTable>

/** Old runs deleted with each new one. */
const purgedAtOnce = 200

/** Accepted repair calls, counted for the rate limits. */
export function repairRunsTable(db: Kysely<Schema>) {
  return {
    /** Records the start of a run and deletes runs too old to count. */
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
    /** Marks runs that ended processes left open as interrupted. */
    endOpen: async (now: string): Promise<void> => {
      await db
        .updateTable('repair_runs')
        .set({ outcome: 'interrupted', ended_at: now })
        // Matches the condition of the index.
        .where(sql<boolean>`ended_at IS NULL`)
        .where(eb => eb.not(isHeld('repair', sql.ref('repair_runs.action'))))
        .execute()
    },
    /** Returns runs of an action since a time, newest first. */
    since: (action: string, time: string, limit: number): Promise<Pick<RepairRun, 'started_at'>[]> =>
      db
        .selectFrom('repair_runs')
        .select('started_at')
        .where('action', '=', action)
        .where('started_at', '>', time)
        .orderBy('started_at', 'desc')
        .limit(limit)
        .execute(),
    /** Returns the last run of an action; undefined when there was none recently. */
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

export type RepairOperation = Selectable<RepairOperationsTable>

/** Progress of repairs that take several calls; only one runs per action and scope. */
export function repairOperationsTable(db: Kysely<Schema>) {
  return {
    find: (id: string): Promise<RepairOperation | undefined> =>
      db.selectFrom('repair_operations').selectAll().where('id', '=', id).executeTakeFirst(),
    running: (action: string, scope: string): Promise<RepairOperation | undefined> =>
      db
        .selectFrom('repair_operations')
        .selectAll()
        .where('action', '=', action)
        .where('scope', '=', scope)
        // Matches the condition of the index.
        .where(sql<boolean>`status = 'running'`)
        .executeTakeFirst(),
    /** Starts an operation and deletes those not continued since a time. */
    begin: async (row: Insertable<RepairOperationsTable>, keptSince: string): Promise<void> => {
      await db.insertInto('repair_operations').values(row).execute()
      await db.deleteFrom('repair_operations').where('updated_at', '<', keptSince).execute()
    },
    save: async (
      id: string,
      change: Pick<RepairOperation, 'status' | 'place' | 'counts' | 'error' | 'updated_at'>,
    ): Promise<void> => {
      await db.updateTable('repair_operations').set(change).where('id', '=', id).execute()
    },
  }
}
