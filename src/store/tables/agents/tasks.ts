import {
  type Kysely,
  type Selectable,
  sql,
  type Updateable,
  type UpdateQueryBuilder,
  type UpdateResult,
} from 'kysely'
import type { ScheduledTasksTable, TaskRunsTable } from '../../schema/agent-schema.js'
import type { Schema } from '../../schema/schema.js'
import { endOf } from '../../sql/dialect.js'

export type TaskRow = Selectable<ScheduledTasksTable>

export type DueTask = Pick<TaskRow, 'id' | 'cron_expression' | 'zone'> & { next_run_at: string }

const schedule = ['id', 'cron_expression', 'zone', 'next_run_at'] as const

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

/** Scheduled tasks (tasks.md 4.8). */
export function tasksTable(db: Kysely<Schema>) {
  const countTasks = async (only: 'all' | 'enabled'): Promise<number> => {
    const { count } = await db
      .selectFrom('scheduled_tasks')
      .select(sql<number>`count(*)`.as('count'))
      .$if(only === 'enabled', query => query.where('next_run_at', 'is not', null))
      .executeTakeFirstOrThrow()
    return count
  }
  return {
    ...schedules(db),
    countAll: () => countTasks('all'),
    countEnabled: () => countTasks('enabled'),
    add: async (row: TaskRow): Promise<void> => {
      await db.insertInto('scheduled_tasks').values(row).execute()
    },
    find: (id: string): Promise<TaskRow | undefined> =>
      db.selectFrom('scheduled_tasks').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Returns tasks, oldest first. @param after id of the previous page's last task. */
    page: (after: string, limit: number): Promise<TaskRow[]> =>
      db
        .selectFrom('scheduled_tasks')
        .selectAll()
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    change: async (id: string, change: Updateable<ScheduledTasksTable>): Promise<void> => {
      await db.updateTable('scheduled_tasks').set(change).where('id', '=', id).execute()
    },
    /** Deletes a task and its runs. @returns false when there is none. */
    remove: async (id: string): Promise<boolean> => {
      const { numDeletedRows } = await db
        .deleteFrom('scheduled_tasks')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return numDeletedRows === 1n
    },
    /** Records the status of the newest run. @param startedAt set when it has started. */
    noteRun: async (id: string, status: string, startedAt?: string): Promise<void> => {
      await db
        .updateTable('scheduled_tasks')
        .set({ last_run_status: status, ...(startedAt !== undefined && { last_run_at: startedAt }) })
        .where('id', '=', id)
        .execute()
    },
  }
}

function schedules(db: Kysely<Schema>) {
  return {
    /** Returns the tasks due by now, longest overdue first. */
    due: async (now: string, limit: number): Promise<DueTask[]> => {
      const rows = await db
        .selectFrom('scheduled_tasks')
        .select(schedule)
        .where('next_run_at', 'is not', null)
        .where('next_run_at', '<=', now)
        .orderBy('next_run_at')
        .limit(limit)
        .execute()
      return rows as DueTask[]
    },
    /**
     * Returns enabled tasks that are not due yet, by id. @param after id of the previous page's last task.
     */
    ahead: async (
      now: string,
      after: string,
      limit: number,
    ): Promise<(DueTask & Pick<TaskRow, 'last_due_at'>)[]> => {
      const rows = await db
        .selectFrom('scheduled_tasks')
        .select([...schedule, 'last_due_at'])
        .where('id', '>', after)
        .where('next_run_at', 'is not', null)
        .where('next_run_at', '>', now)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows as (DueTask & Pick<TaskRow, 'last_due_at'>)[]
    },
    /**
     * Moves a task to its next scheduled time.
     * @param from its `next_run_at` as read before. @returns false when that has changed since.
     */
    moveOn: async (
      id: string,
      from: string,
      to: Partial<Pick<TaskRow, 'next_run_at' | 'last_due_at' | 'zone' | 'enabled'>>,
    ): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('scheduled_tasks')
        .set(to)
        .where('id', '=', id)
        .where('next_run_at', '=', from)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
  }
}

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
    /** Starts a pending run. @returns false if it has started or ended meanwhile. */
    begin: (id: string, now: string): Promise<boolean> =>
      runUpdate(db.updateTable('task_runs').set({ status: 'running', started_at: now }).where(isPending), id),
    /** @returns false if the run has ended. */
    end: (id: string, end: RunEnd): Promise<boolean> =>
      runUpdate(db.updateTable('task_runs').set(end).where(isOpen), id),
    /** Ends a pending run before it starts. @returns false if it has started or ended meanwhile. */
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
