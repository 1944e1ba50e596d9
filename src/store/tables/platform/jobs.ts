import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely'
import type { JobsTable, Schema } from '../../schema/schema.js'
import { listOf, unindexed } from '../../sql/dialect.js'
import { insertRows } from '../../sql/insert-rows.js'

export type JobRow = Selectable<JobsTable>

export interface NewJob {
  id: string
  kind: string
  subject: string
  maxAttempts: number
  /** JSON of an object. */
  payload: string
}

/** Where leases went that were taken from their workers. */
export interface EndedLeases {
  pending: number
  dead: number
}

/** Jobs of one kind that are in one state. */
export interface JobCount {
  kind: string
  status: string
  count: number
}

/** Pending jobs of a kind that are looked at for those that failed before: the oldest are tried first. */
const lookedAt = 5000

/** The job queue: pending -> leased -> completed, pending again, or dead (rules.md 3.2). */
export function jobsTable(db: Kysely<Schema>) {
  return { ...queue(db), ...leases(db), ...repairs(db) }
}

function queue(db: Kysely<Schema>) {
  const openJob = async (kind: string, subject: string): Promise<string | undefined> => {
    const row = await db
      .selectFrom('jobs')
      .select('id')
      .where('kind', '=', kind)
      .where('subject', '=', subject)
      // As in the condition of the index.
      .where(sql<boolean>`status IN ('pending', 'leased')`)
      .executeTakeFirst()
    return row?.id
  }
  const rowOf = ({ maxAttempts, ...job }: NewJob, now: string) => ({
    ...job,
    status: 'pending',
    attempts: 0,
    max_attempts: maxAttempts,
    leased_at: null,
    run_after: now,
    last_error: null,
    created_at: now,
    updated_at: now,
    completed_at: null,
  })
  return {
    /** The pending or leased job of a kind for one subject; undefined when there is none. */
    openJob,
    /** Queues a job; an open one of the same kind and subject is enough. @returns the id of the one that is open. */
    enqueue: async (job: NewJob, now: string): Promise<string> => {
      const queued = await db
        .insertInto('jobs')
        .values(rowOf(job, now))
        .onConflict(conflict => conflict.doNothing())
        .returning('id')
        .executeTakeFirst()
      return queued?.id ?? (await openJob(job.kind, job.subject)) ?? job.id
    },
    /** Adds jobs of which is known already that no attempt would be of use. */
    addGivenUp: (jobs: readonly NewJob[], error: string, now: string): Promise<void> =>
      insertRows(
        db,
        'jobs',
        jobs.map(job => ({ ...rowOf(job, now), status: 'dead', last_error: error })),
      ),
    /** Ends waiting and dead jobs of a kind for some subjects: what they were to do is done. */
    settle: async (kind: string, subjects: readonly string[], now: string): Promise<void> => {
      await sql`UPDATE jobs SET status = 'completed', completed_at = ${now}, updated_at = ${now}
        WHERE subject IN ${listOf(subjects)} AND kind = ${kind} AND ${unindexed('status')} IN ('pending', 'dead')`.execute(
        db,
      )
    },
    /** Takes out every job about some subjects, whatever its kind and state. */
    dropOf: async (subjects: readonly string[]): Promise<void> => {
      await sql`DELETE FROM jobs WHERE subject IN ${listOf(subjects)}`.execute(db)
    },
    /** Ends the open job of a kind for one subject: what it was about is gone. */
    completeFor: async (kind: string, subject: string, now: string): Promise<void> => {
      await db
        .updateTable('jobs')
        .set({ status: 'completed', completed_at: now, updated_at: now, leased_at: null })
        .where('kind', '=', kind)
        .where('subject', '=', subject)
        .where(sql<boolean>`status IN ('pending', 'leased')`)
        .execute()
    },
    /** How many jobs of some kinds are in which state. */
    countByState: (kinds: readonly string[]): Promise<JobCount[]> =>
      db
        .selectFrom('jobs')
        .select(eb => ['kind', 'status', eb.fn.countAll<number>().as('count')])
        .where('kind', 'in', [...kinds])
        .groupBy(['kind', 'status'])
        .execute(),
    /** Jobs of a kind that were tried and wait for their next try. */
    countRetried: async (kind: string): Promise<number> => {
      const { count } = await db
        .selectFrom(
          db
            .selectFrom('jobs')
            .select('attempts')
            .where('kind', '=', kind)
            .where('status', '=', 'pending')
            .orderBy('created_at')
            .limit(lookedAt)
            .as('oldest'),
        )
        .select(eb => eb.fn.countAll<number>().as('count'))
        .where('attempts', '>', 0)
        .executeTakeFirstOrThrow()
      return count
    },
    /** When the first pending job of a kind may be leased; undefined when there is none. */
    nextDue: async (kind: string): Promise<string | undefined> => {
      const row = await db
        .selectFrom('jobs')
        .select('run_after')
        .where(eb => leasable(eb, kind))
        .orderBy('run_after')
        .limit(1)
        .executeTakeFirst()
      return row?.run_after
    },
  }
}

/** What happens to a lease; all but `lease` itself leave alone what is no longer leased. */
function leases(db: Kysely<Schema>) {
  const leased = (ids: readonly string[]) =>
    db
      .updateTable('jobs')
      .where('id', 'in', [...ids])
      .where(unindexed<string>('status'), '=', 'leased')
      .set({ leased_at: null })
  return {
    /** Leases the oldest due jobs that have attempts left, and counts the attempt in the same statement. */
    lease: async (kind: string, limit: number, now: string): Promise<JobRow[]> => {
      const rows = await db
        .updateTable('jobs')
        .set({ status: 'leased', leased_at: now, updated_at: now, attempts: sql`attempts + 1` })
        .where('id', 'in', eb =>
          eb
            .selectFrom('jobs')
            .select('id')
            .where(inner => leasable(inner, kind))
            .where('run_after', '<=', now)
            .orderBy('created_at')
            .orderBy('id')
            .limit(limit),
        )
        .returningAll()
        .execute()
      return rows.sort((a, b) => (inOrder(a) < inOrder(b) ? -1 : 1))
    },
    complete: async (ids: readonly string[], now: string): Promise<void> => {
      await leased(ids).set({ status: 'completed', completed_at: now, updated_at: now }).execute()
    },
    /** Back to pending at `runAfter`, or dead once the attempts are used up. */
    fail: async (ids: readonly string[], error: string, runAfter: string, now: string): Promise<void> => {
      await leased(ids)
        .set({ status: pendingOrDead, last_error: error, run_after: runAfter, updated_at: now })
        .execute()
    },
    /** No attempt would be of use. */
    giveUp: async (ids: readonly string[], error: string, now: string): Promise<void> => {
      await leased(ids).set({ status: 'dead', last_error: error, updated_at: now }).execute()
    },
    /** Gives leases back without counting the attempt: the worker stopped, or its provider is away. */
    release: async (ids: readonly string[], now: string): Promise<void> => {
      await leased(ids).set({ status: 'pending', updated_at: now, attempts: sql`attempts - 1` }).execute()
    },
  }
}

function repairs(db: Kysely<Schema>) {
  const replaceable = (limit: number, kind?: string) =>
    db
      .selectFrom('jobs as dead')
      .select('id')
      .where('status', '=', 'dead')
      .$if(kind !== undefined, query => query.where('kind', '=', kind as string))
      .where(
        sql<boolean>`NOT EXISTS (SELECT 1 FROM jobs j WHERE j.subject = dead.subject AND j.kind = dead.kind AND (j.status IN ('pending', 'leased') OR (j.status = 'dead' AND j.id > dead.id)))`,
      )
      .orderBy('updated_at')
      .limit(limit)
  return {
    /** Kinds of dead jobs that `requeueDead` would take, one for each, at most `limit`. */
    requeuable: async (limit: number): Promise<string[]> => {
      const rows = await replaceable(limit).select('kind').execute()
      return rows.map(({ kind }) => kind)
    },
    /** Leases taken at `before` or earlier, at most `limit`. */
    stale: async (
      before: string,
      limit: number,
    ): Promise<Pick<JobRow, 'kind' | 'attempts' | 'max_attempts'>[]> =>
      db
        .selectFrom('jobs')
        .select(['kind', 'attempts', 'max_attempts'])
        .where('status', '=', 'leased')
        .where('leased_at', '<=', before)
        .limit(limit)
        .execute(),
    /** Ends leases taken at `before` or earlier: their worker died, or hangs (rules.md 3.2). */
    releaseStale: async (before: string, now: string): Promise<EndedLeases> => {
      const stale = await db
        .selectFrom('jobs')
        .select('id')
        .where('status', '=', 'leased')
        .where('leased_at', '<=', before)
        .limit(1)
        .executeTakeFirst()
      // A look that finds nothing is no write: nobody has to wait for it.
      if (!stale) return { pending: 0, dead: 0 }
      const rows = await db
        .updateTable('jobs')
        .set({ status: pendingOrDead, leased_at: null, updated_at: now })
        .where('status', '=', 'leased')
        .where('leased_at', '<=', before)
        .returning('status')
        .execute()
      const dead = rows.filter(({ status }) => status === 'dead').length
      return { pending: rows.length - dead, dead }
    },
    /**
     * Gives dead jobs (of one kind, if it is given) all their attempts again, at most `limit`; not those that a later
     * job has replaced (rules.md 3.2).
     * @returns how many.
     */
    requeueDead: async (limit: number, now: string, kind?: string): Promise<number> => {
      const { numUpdatedRows } = await db
        .updateTable('jobs')
        .set({ status: 'pending', attempts: 0, run_after: now, updated_at: now })
        .where('id', 'in', replaceable(limit, kind))
        .executeTakeFirstOrThrow()
      return Number(numUpdatedRows)
    },
  }
}

/** Rows come out of an update in no order. */
function inOrder({ created_at, id }: JobRow): string {
  return `${created_at} ${id}`
}

const pendingOrDead = sql<string>`CASE WHEN attempts >= max_attempts THEN 'dead' ELSE 'pending' END`

function leasable(eb: ExpressionBuilder<Schema, 'jobs'>, kind: string): Expression<SqlBool> {
  return eb.and([
    eb('kind', '=', kind),
    eb('status', '=', 'pending'),
    eb('attempts', '<', eb.ref('max_attempts')),
  ])
}
