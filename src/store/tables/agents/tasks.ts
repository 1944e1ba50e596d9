import { type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { ScheduledTasksTable } from '../../schema/agent-schema.js'
import type { Schema } from '../../schema/schema.js'

export type TaskRow = Selectable<ScheduledTasksTable>

/** A task whose time has come. */
export type DueTask = Pick<TaskRow, 'id' | 'cron_expression' | 'zone'> & { next_run_at: string }

const schedule = ['id', 'cron_expression', 'zone', 'next_run_at'] as const

/** Scheduled tasks (tasks.md 4.8). */
export function tasksTable(db: Kysely<Schema>) {
  const counted = async (only: 'all' | 'enabled'): Promise<number> => {
    const { count } = await db
      .selectFrom('scheduled_tasks')
      .select(sql<number>`count(*)`.as('count'))
      .$if(only === 'enabled', query => query.where('next_run_at', 'is not', null))
      .executeTakeFirstOrThrow()
    return count
  }
  return {
    ...schedules(db),
    countAll: () => counted('all'),
    countEnabled: () => counted('enabled'),
    add: async (row: TaskRow): Promise<void> => {
      await db.insertInto('scheduled_tasks').values(row).execute()
    },
    find: (id: string): Promise<TaskRow | undefined> =>
      db.selectFrom('scheduled_tasks').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Oldest first. @param after id of the last one before. */
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
    /** Its runs go with it. @returns false when there is none. */
    remove: async (id: string): Promise<boolean> => {
      const { numDeletedRows } = await db
        .deleteFrom('scheduled_tasks')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return numDeletedRows === 1n
    },
    /** Notes how its newest run stands. @param startedAt when that has begun. */
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
    /** What is due by now, longest first. */
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
    /** The schedules of enabled tasks that are not due yet, by their ids. @param after id of the last one before. */
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
     * Moves a task on from one time of its schedule.
     * @param from its `next_run_at` as it was read. @returns false when it has another one by now.
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
