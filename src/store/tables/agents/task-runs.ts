import { type Kysely, type Selectable, sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely'
import type { TaskRunsTable } from '../../schema/agent-schema.js'
import type { Schema } from '../../schema/schema.js'
import { endOf } from '../../sql/dialect.js'

export type TaskRunRow = Selectable<TaskRunsTable>

/** The result of a run. */
export type RunEnd = Pick<
  TaskRunRow,
  'status' | 'exit_code' | 'output' | 'output_truncated' | 'error' | 'completed_at'
>

/** A pending or running run. */
export type OpenRun = Pick<TaskRunRow, 'id' | 'task_id' | 'status'>

// Literal SQL, because the partial indexes of open runs need it.
const isOpen = sql<boolean>`status IN ('pending', 'running')`
const isPending = sql<boolean>`status = 'pending'`

/** Runs of tasks (tasks.md 4.8). */
export function taskRunsTable(db: Kysely<Schema>) {
  return { ...pages(db), ...states(db), ...retention(db) }
}

function pages(db: Kysely<Schema>) {
  return {
    /** Newest first. */
    page: (taskId: string, { limit, offset }: { limit: number; offset: number }): Promise<TaskRunRow[]> =>
      db
        .selectFrom('task_runs')
        .selectAll()
        .where('task_id', '=', taskId)
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
    count: async (taskId: string): Promise<number> => {
      const { count } = await db
        .selectFrom('task_runs')
        .select(sql<number>`count(*)`.as('count'))
        .where('task_id', '=', taskId)
        .executeTakeFirstOrThrow()
      return count
    },
    find: (id: string): Promise<TaskRunRow | undefined> =>
      db.selectFrom('task_runs').selectAll().where('id', '=', id).executeTakeFirst(),
  }
}

/** @returns whether the run was in the state the update requires. */
async function runUpdate(
  update: UpdateQueryBuilder<Schema, 'task_runs', 'task_runs', UpdateResult>,
  id: string,
): Promise<boolean> {
  const { numUpdatedRows } = await update.where('id', '=', id).executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

function states(db: Kysely<Schema>) {
  return {
    /** Adds a pending run. @returns false when the task already has an open run. */
    addPending: async (
      row: Pick<TaskRunRow, 'id' | 'task_id' | 'trigger_kind' | 'daemon' | 'created_at'>,
    ): Promise<boolean> => {
      const added = await db
        .insertInto('task_runs')
        .values({ ...row, status: 'pending', output: '', output_truncated: 0 })
        .onConflict(conflict => conflict.doNothing())
        .returning('id')
        .executeTakeFirst()
      return added !== undefined
    },
    openOf: (taskId: string): Promise<OpenRun | undefined> =>
      db
        .selectFrom('task_runs')
        .select(['id', 'task_id', 'status'])
        .where('task_id', '=', taskId)
        .where(isOpen)
        .executeTakeFirst(),
    /** Returns pending runs, oldest first. */
    pending: (limit: number): Promise<OpenRun[]> =>
      db
        .selectFrom('task_runs')
        .select(['id', 'task_id', 'status'])
        .where(isPending)
        .orderBy('id')
        .limit(limit)
        .execute(),
    /** Starts a pending run. @returns false when it is no longer pending. */
    begin: (id: string, now: string): Promise<boolean> =>
      runUpdate(db.updateTable('task_runs').set({ status: 'running', started_at: now }).where(isPending), id),
    /** @returns false when the run is no longer open. */
    end: (id: string, end: RunEnd): Promise<boolean> =>
      runUpdate(db.updateTable('task_runs').set(end).where(isOpen), id),
    /** Ends a pending run before it starts. @returns false when it is no longer pending. */
    endWaiting: (id: string, end: Pick<RunEnd, 'status' | 'error' | 'completed_at'>): Promise<boolean> =>
      runUpdate(db.updateTable('task_runs').set(end).where(isPending), id),
    /** Ends a run whose result cannot be known any more. */
    lose: async (id: string, end: Pick<RunEnd, 'status' | 'error' | 'completed_at'>): Promise<void> => {
      await db.updateTable('task_runs').set(end).where('id', '=', id).where(isOpen).execute()
    },
    /** Notes in a running run why the daemon that runs it should end it. */
    askToEnd: async (id: string, error: string): Promise<void> => {
      await db
        .updateTable('task_runs')
        .set({ error })
        .where('id', '=', id)
        .where('status', '=', 'running')
        .execute()
    },
    /** Returns the state of some runs. */
    among: (ids: readonly string[]): Promise<Pick<TaskRunRow, 'id' | 'status' | 'error'>[]> =>
      db
        .selectFrom('task_runs')
        .select(['id', 'status', 'error'])
        .where('id', 'in', [...ids])
        .execute(),
    /** Returns open runs of other daemons. */
    leftBy: (daemon: string): Promise<OpenRun[]> =>
      db
        .selectFrom('task_runs')
        .select(['id', 'task_id', 'status'])
        .where(isOpen)
        .where('daemon', '!=', daemon)
        .execute(),
  }
}

function retention(db: Kysely<Schema>) {
  /** Selects the older runs of a task. */
  const behind = (taskId: string, newest: number) =>
    db
      .selectFrom('task_runs')
      .select('id')
      .where('task_id', '=', taskId)
      .orderBy('id', 'desc')
      .limit(1_000_000)
      .offset(newest)
  return {
    /** Deletes all but the newest runs of a task. */
    dropBehind: async (taskId: string, newest: number): Promise<void> => {
      await db.deleteFrom('task_runs').where('id', 'in', behind(taskId, newest)).execute()
    },
    /** Truncates long outputs of older runs to their end. @param length UTF-8 characters. */
    shortenBehind: async (taskId: string, newest: number, length: number): Promise<void> => {
      await db
        .updateTable('task_runs')
        .set({ output: endOf(sql.ref('output'), length), output_truncated: 1 })
        .where('id', 'in', behind(taskId, newest))
        .where(sql`length(output)`, '>', length)
        .execute()
    },
    /**
     * Deletes runs that ended before the given time, oldest first, at most `limit`. @returns the number
     * deleted.
     */
    purge: async (before: string, limit: number): Promise<number> => {
      const { numDeletedRows } = await db
        .deleteFrom('task_runs')
        .where('id', 'in', eb =>
          eb
            .selectFrom('task_runs')
            .select('id')
            .where('completed_at', 'is not', null)
            .where('completed_at', '<', before)
            .orderBy('completed_at')
            .limit(limit),
        )
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}
