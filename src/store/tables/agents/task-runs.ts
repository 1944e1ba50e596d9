import { type Kysely, type Selectable, sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely'
import type { TaskRunsTable } from '../../schema/agent-schema.js'
import type { Schema } from '../../schema/schema.js'

export type TaskRunRow = Selectable<TaskRunsTable>

/** How a run ended. */
export type RunEnd = Pick<
  TaskRunRow,
  'status' | 'exit_code' | 'output' | 'output_truncated' | 'error' | 'completed_at'
>

/** A run as a list of what is open has it. */
export type OpenRun = Pick<TaskRunRow, 'id' | 'task_id' | 'status'>

// Written out, so that the indexes of open runs are taken.
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

/** @returns whether the run was in the state that the update asks for. */
async function changed(
  update: UpdateQueryBuilder<Schema, 'task_runs', 'task_runs', UpdateResult>,
  id: string,
): Promise<boolean> {
  const { numUpdatedRows } = await update.where('id', '=', id).executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

function states(db: Kysely<Schema>) {
  return {
    /** Adds a run that waits. @returns false when one of the task is open: it is started once at a time. */
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
    /** Those that wait, longest first. */
    pending: (limit: number): Promise<OpenRun[]> =>
      db
        .selectFrom('task_runs')
        .select(['id', 'task_id', 'status'])
        .where(isPending)
        .orderBy('id')
        .limit(limit)
        .execute(),
    /** Takes a run that waits in hand. @returns false when it does not wait any more. */
    begin: (id: string, now: string): Promise<boolean> =>
      changed(db.updateTable('task_runs').set({ status: 'running', started_at: now }).where(isPending), id),
    /** @returns false when it is not open any more. */
    end: (id: string, end: RunEnd): Promise<boolean> =>
      changed(db.updateTable('task_runs').set(end).where(isOpen), id),
    /** Ends a run that was not begun. @returns false when it waits no more. */
    endWaiting: (id: string, end: Pick<RunEnd, 'status' | 'error' | 'completed_at'>): Promise<boolean> =>
      changed(db.updateTable('task_runs').set(end).where(isPending), id),
    /** Ends a run of which nothing more will be known. */
    lose: async (id: string, end: Pick<RunEnd, 'status' | 'error' | 'completed_at'>): Promise<void> => {
      await db.updateTable('task_runs').set(end).where('id', '=', id).where(isOpen).execute()
    },
    /** What other daemons left open. */
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
  /** The runs of a task behind its newest. */
  const behind = (taskId: string, newest: number) =>
    db
      .selectFrom('task_runs')
      .select('id')
      .where('task_id', '=', taskId)
      .orderBy('id', 'desc')
      .limit(1_000_000)
      .offset(newest)
  return {
    /** Deletes what a task has behind its newest runs. */
    dropBehind: async (taskId: string, newest: number): Promise<void> => {
      await db.deleteFrom('task_runs').where('id', 'in', behind(taskId, newest)).execute()
    },
    /** Keeps of long outputs behind the newest runs of a task only the end. @param length UTF-8 characters. */
    shortenBehind: async (taskId: string, newest: number, length: number): Promise<void> => {
      await db
        .updateTable('task_runs')
        .set({ output: sql`substr(output, ${-length})`, output_truncated: 1 })
        .where('id', 'in', behind(taskId, newest))
        .where(sql`length(output)`, '>', length)
        .execute()
    },
    /** Deletes runs that ended before the given time, the oldest first, at most `limit`. @returns how many went. */
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
