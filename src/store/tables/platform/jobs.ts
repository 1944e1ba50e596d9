import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely'
import type { JobsTable, Schema } from '../../schema/schema.js'
import { listOf, passingLocked, unindexed } from '../../sql/dialect.js'
import { insertRows } from '../../sql/insert-rows.js'

export type JobRow = Selectable<JobsTable>

export interface NewJob {
  id: string
  kind: string
  subject: string
  maxAttempts: number
  /** JSON object. */
  payload: string
  /** Only the daemon that queues it can do it, because it needs a file of that machine. */
  isLocal?: boolean
}

/** Resulting states of the jobs whose leases were ended. */
export interface LeaseRecovery {
  pending: number
  dead: number
}

/** The number of jobs of one kind in one state. */
export interface JobCount {
  kind: string
  status: string
  count: number
}

/** Limits the pending jobs scanned for retries; retries are among the oldest. */
const maxScannedForRetries = 5000

/** The job queue: pending -> leased -> completed, pending again, or dead (rules.md 3.2). */
export function jobsTable(db: Kysely<Schema>, node: string | null) {
  return { ...queue(db, node), ...leases(db, node), ...repairs(db), ...ofNodes(db, node) }
}

function queue(db: Kysely<Schema>, node: string | null) {
  const openJob = async (kind: string, subject: string): Promise<string | undefined> => {
    const row = await db
      .selectFrom('jobs')
      .select('id')
      .where('kind', '=', kind)
      .where('subject', '=', subject)
      // Matches the condition of the index.
      .where(sql<boolean>`status IN ('pending', 'leased')`)
      .executeTakeFirst()
    return row?.id
  }
  const rowOf = ({ maxAttempts, isLocal = false, ...job }: NewJob, now: string) => ({
    ...job,
    node: isLocal ? node : null,
    leased_by: null,
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
    /** Returns the open job of a kind for one subject; undefined when there is none. */
    openJob,
    /** Queues a job unless one of the same kind and subject is open. @returns the id of the open job. */
    enqueue: async (job: NewJob, now: string): Promise<string> => {
      const queued = await db
        .insertInto('jobs')
        .values(rowOf(job, now))
        .onConflict(conflict => conflict.doNothing())
        .returning('id')
        .executeTakeFirst()
      return queued?.id ?? (await openJob(job.kind, job.subject)) ?? job.id
    },
    /** Adds jobs that are known to be hopeless as dead. */
    addGivenUp: (jobs: readonly NewJob[], error: string, now: string): Promise<void> =>
      insertRows(
        db,
        'jobs',
        jobs.map(job => ({ ...rowOf(job, now), status: 'dead', last_error: error })),
      ),
    /** Completes pending and dead jobs of a kind whose work is already done. */
    settle: async (kind: string, subjects: readonly string[], now: string): Promise<void> => {
      await sql`UPDATE jobs SET status = 'completed', completed_at = ${now}, updated_at = ${now}
        WHERE subject IN ${listOf(subjects)} AND kind = ${kind} AND ${unindexed('status')} IN ('pending', 'dead')`.execute(
        db,
      )
    },
    /** Deletes all jobs about some subjects, whatever their kind and state. */
    dropOf: async (subjects: readonly string[]): Promise<void> => {
      await sql`DELETE FROM jobs WHERE subject IN ${listOf(subjects)}`.execute(db)
    },
    /** Completes the open job of a kind whose subject no longer exists. */
    completeFor: async (kind: string, subject: string, now: string): Promise<void> => {
      await db
        .updateTable('jobs')
        .set({ status: 'completed', completed_at: now, updated_at: now, leased_at: null, leased_by: null })
        .where('kind', '=', kind)
        .where('subject', '=', subject)
        .where(sql<boolean>`status IN ('pending', 'leased')`)
        .execute()
    },
    countByState: (kinds: readonly string[]): Promise<JobCount[]> =>
      db
        .selectFrom('jobs')
        .select(eb => ['kind', 'status', eb.fn.countAll<number>().as('count')])
        .where('kind', 'in', [...kinds])
        .groupBy(['kind', 'status'])
        .execute(),
    /** Counts jobs of a kind that wait for a retry. */
    countRetried: async (kind: string): Promise<number> => {
      const { count } = await db
        .selectFrom(
          db
            .selectFrom('jobs')
            .select('attempts')
            .where('kind', '=', kind)
            .where('status', '=', 'pending')
            .orderBy('created_at')
            .limit(maxScannedForRetries)
            .as('oldest'),
        )
        .select(eb => eb.fn.countAll<number>().as('count'))
        .where('attempts', '>', 0)
        .executeTakeFirstOrThrow()
      return count
    },
    /** Returns when the next pending job of a kind may be leased; undefined when there is none. */
    nextDue: async (kind: string): Promise<string | undefined> => {
      const row = await db
        .selectFrom('jobs')
        .select('run_after')
        .where(eb => leasable(eb, kind, node))
        .orderBy('run_after')
        .limit(1)
        .executeTakeFirst()
      return row?.run_after
    },
  }
}

/** All but `lease` ignore jobs that are no longer leased, or by another node. */
function leases(db: Kysely<Schema>, node: string | null) {
  const own = () =>
    db
      .updateTable('jobs')
      .$if(node !== null, query => query.where('leased_by', '=', node))
      .set({ leased_at: null, leased_by: null })
  const leased = (ids: readonly string[]) =>
    own()
      .where('id', 'in', [...ids])
      .where(unindexed<string>('status'), '=', 'leased')
  const uncounted = (now: string) => ({
    ...{ status: 'pending', updated_at: now },
    attempts: sql<number>`attempts - 1`,
  })
  return {
    /** Leases the oldest due jobs with attempts left, counting the attempt in the same statement. */
    lease: async (kind: string, limit: number, now: string): Promise<JobRow[]> => {
      const rows = await db
        .updateTable('jobs')
        .set({
          status: 'leased',
          leased_at: now,
          leased_by: node,
          updated_at: now,
          attempts: sql`attempts + 1`,
        })
        .where('id', 'in', eb =>
          eb
            .selectFrom('jobs')
            .select('id')
            .where(inner => leasable(inner, kind, node))
            .where('run_after', '<=', now)
            .orderBy('created_at')
            .orderBy('id')
            .limit(limit)
            .modifyEnd(passingLocked),
        )
        .returningAll()
        .execute()
      return rows.sort((a, b) => (queueOrder(a) < queueOrder(b) ? -1 : 1))
    },
    complete: async (ids: readonly string[], now: string): Promise<void> => {
      await leased(ids).set({ status: 'completed', completed_at: now, updated_at: now }).execute()
    },
    /** Requeues jobs for `runAfter`, or marks them dead when no attempts are left. */
    fail: async (ids: readonly string[], error: string, runAfter: string, now: string): Promise<void> => {
      await leased(ids)
        .set({ status: pendingOrDead, last_error: error, run_after: runAfter, updated_at: now })
        .execute()
    },
    /** Marks jobs dead that a retry cannot help. */
    giveUp: async (ids: readonly string[], error: string, now: string): Promise<void> => {
      await leased(ids).set({ status: 'dead', last_error: error, updated_at: now }).execute()
    },
    /** Releases leases without counting the attempt: the worker stopped, or its provider is unreachable. */
    release: async (ids: readonly string[], now: string): Promise<void> => {
      await leased(ids).set(uncounted(now)).execute()
    },
    /** Releases all jobs of a kind that this daemon has leased, in the same way. */
    releaseOwn: async (kind: string, now: string): Promise<void> => {
      await own().where('kind', '=', kind).where('status', '=', 'leased').set(uncounted(now)).execute()
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
    /** Returns the kinds of up to `limit` dead jobs that `requeueDead` would retry, one entry per job. */
    requeuable: async (limit: number): Promise<string[]> => {
      const rows = await replaceable(limit).select('kind').execute()
      return rows.map(({ kind }) => kind)
    },
    /** Returns leases taken at or before `before`, at most `limit`. */
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
    /** Ends leases taken at or before `before`: their worker died or hangs (rules.md 3.2). */
    releaseStale: async (before: string, now: string): Promise<LeaseRecovery> => {
      const stale = await db
        .selectFrom('jobs')
        .select('id')
        .where('status', '=', 'leased')
        .where('leased_at', '<=', before)
        .limit(1)
        .executeTakeFirst()
      // Reading first avoids the write lock when there is nothing to do.
      if (!stale) return { pending: 0, dead: 0 }
      const rows = await db
        .updateTable('jobs')
        .set({ ...returned, updated_at: now })
        .where('status', '=', 'leased')
        .where('leased_at', '<=', before)
        .returning('status')
        .execute()
      const dead = rows.filter(({ status }) => status === 'dead').length
      return { pending: rows.length - dead, dead }
    },
    /**
     * Gives dead jobs all their attempts again, at most `limit`; those replaced by a later job are skipped
     * (rules.md 3.2). @returns the number of jobs.
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

/** Jobs of daemons that ended; without other nodes all leases are such. */
function ofNodes(db: Kysely<Schema>, node: string | null) {
  const others = sql<string>`(SELECT id FROM nodes WHERE id IS DISTINCT FROM ${node})`
  return {
    /** Ends the leases of this node's last start, and of nodes that are gone. */
    releaseAtStart: async (now: string): Promise<void> => {
      const leased = await db
        .selectFrom('jobs')
        .select('id')
        .where('status', '=', 'leased')
        .limit(1)
        .execute()
      // Reading first avoids the write lock when there is nothing to do.
      if (leased.length === 0) return
      await db
        .updateTable('jobs')
        .set({ ...returned, updated_at: now })
        .where('status', '=', 'leased')
        .where(sql<boolean>`(leased_by IS NULL OR leased_by NOT IN ${others})`)
        .execute()
    },
    /** Ends the leases of nodes that are gone. @returns the number of jobs. */
    releaseLost: async (now: string): Promise<number> => {
      const rows = await db
        .updateTable('jobs')
        .set({ ...returned, updated_at: now })
        .where('status', '=', 'leased')
        .where('leased_by', '!=', node)
        .where(sql<boolean>`leased_by NOT IN ${others}`)
        .returning('id')
        .execute()
      return rows.length
    },
    /** Returns the nodes that are gone and alone could do waiting jobs. */
    awaitedNodes: async (): Promise<string[]> => {
      const rows = await db
        .selectFrom('jobs')
        .select(eb => eb.ref('node').$notNull().as('node'))
        .distinct()
        .where('status', '=', 'pending')
        .where('node', '!=', node)
        .where(sql<boolean>`node NOT IN ${others}`)
        .execute()
      return rows.map(row => row.node)
    },
    /** Fails the waiting jobs that only a given node could do. */
    giveUpOf: async (gone: string, error: string, now: string): Promise<void> => {
      await db
        .updateTable('jobs')
        .set({ status: 'dead', last_error: error, updated_at: now })
        .where('status', '=', 'pending')
        .where('node', '=', gone)
        .execute()
    },
    /** Returns the kinds with jobs that this node could do now. */
    dueKinds: async (now: string): Promise<string[]> => {
      const rows = await db
        .selectFrom('jobs')
        .select('kind')
        .distinct()
        .where('status', '=', 'pending')
        .where('run_after', '<=', now)
        .where(sql<boolean>`(node IS NULL OR node = ${node})`)
        .execute()
      return rows.map(({ kind }) => kind)
    },
    /** Returns the number of leased jobs of each node. */
    leasesByNode: async (): Promise<{ node: string; jobs: number }[]> =>
      db
        .selectFrom('jobs')
        .select(eb => [eb.ref('leased_by').$notNull().as('node'), eb.fn.countAll<number>().as('jobs')])
        .where('status', '=', 'leased')
        .where('leased_by', 'is not', null)
        .groupBy('leased_by')
        .execute(),
  }
}

/** UPDATE ... RETURNING returns rows in no fixed order. */
function queueOrder({ created_at, id }: JobRow): string {
  return `${created_at} ${id}`
}

const pendingOrDead = sql<string>`CASE WHEN attempts >= max_attempts THEN 'dead' ELSE 'pending' END`
const returned = { status: pendingOrDead, leased_at: null, leased_by: null }

function leasable(
  eb: ExpressionBuilder<Schema, 'jobs'>,
  kind: string,
  node: string | null,
): Expression<SqlBool> {
  return eb.and([
    eb('kind', '=', kind),
    eb('status', '=', 'pending'),
    eb('attempts', '<', eb.ref('max_attempts')),
    ...(node === null ? [] : [eb.or([eb('node', 'is', null), eb('node', '=', node)])]),
  ])
}
