import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { SourceIndexJobsTable } from '../../schema/source-schema.js'

export type SourceJobRow = Selectable<SourceIndexJobsTable>

/** Progress that a running pass reports. */
export type JobProgress = Partial<
  Pick<
    SourceJobRow,
    'status_message' | 'scanned' | 'indexed' | 'total' | 'partial' | 'resume_frontier' | 'attempts'
  >
>

/** The index jobs of sources, one row per source; the table is the queue too (sources.md#the-index-job). */
export function sourceJobsTable(db: Kysely<Schema>) {
  return { ...reads(db), ...writes(db) }
}

function reads(db: Kysely<Schema>) {
  return {
    of: (sourceId: string): Promise<SourceJobRow | undefined> =>
      db.selectFrom('source_index_jobs').selectAll().where('source_id', '=', sourceId).executeTakeFirst(),
    /** Returns all queued jobs, oldest first; sources are few. */
    queued: (): Promise<SourceJobRow[]> =>
      db
        .selectFrom('source_index_jobs')
        .selectAll()
        .where('status', '=', 'queued')
        .orderBy('queued_at')
        .orderBy('source_id')
        .execute(),
    /** Returns which of some sources were paused by a caller or removed. */
    asked: (ids: readonly string[]): Promise<{ id: string; removed_at: string | null }[]> =>
      db
        .selectFrom('source_index_jobs as j')
        .innerJoin('sources as s', 's.id', 'j.source_id')
        .select(['s.id', 's.removed_at'])
        .where('s.id', 'in', [...ids])
        .where(eb => eb.or([eb('j.pause_reason', '=', 'requested'), eb('s.removed_at', 'is not', null)]))
        .execute(),
    /** Returns when the next paused job resumes. */
    nextRetry: async (): Promise<string | undefined> => {
      const row = await db
        .selectFrom('source_index_jobs')
        .select('retry_at')
        .where('status', '=', 'paused')
        .where('retry_at', 'is not', null)
        .orderBy('retry_at')
        .limit(1)
        .executeTakeFirst()
      return row?.retry_at ?? undefined
    },
  }
}

function writes(db: Kysely<Schema>) {
  const change = async (sourceId: string, fields: Partial<SourceJobRow>): Promise<void> => {
    await db.updateTable('source_index_jobs').set(fields).where('source_id', '=', sourceId).execute()
  }
  return {
    change,
    /** Requests an indexing pass; for a source being indexed, another pass after that one. */
    request: async (sourceId: string, { full, now }: { full: boolean; now: string }): Promise<void> => {
      const isFull = full ? 1 : 0
      await db
        .insertInto('source_index_jobs')
        .values({ source_id: sourceId, status: 'queued', is_full: isFull, queued_at: now, updated_at: now })
        .onConflict(conflict =>
          conflict.column('source_id').doUpdateSet({
            status: sql`CASE WHEN source_index_jobs.status = 'running' THEN 'running' ELSE 'queued' END`,
            is_full: sql`CASE WHEN ${isFull} > source_index_jobs.is_full THEN ${isFull} ELSE source_index_jobs.is_full END`,
            requests: sql`source_index_jobs.requests + 1`,
            pause_reason: null,
            retry_at: null,
            // Attempts that crashed a daemon keep counting until there is progress or a new request after the
            // job's end.
            attempts: sql`CASE WHEN source_index_jobs.status = 'queued' THEN source_index_jobs.attempts ELSE 0 END`,
            queued_at: now,
            updated_at: now,
          }),
        )
        .execute()
    },
    /** Requeues jobs whose daemon ended, counting an attempt. */
    requeueRunning: async (running: readonly string[], now: string): Promise<void> => {
      await db
        .updateTable('source_index_jobs')
        .set({ status: 'queued', attempts: sql`attempts + 1`, updated_at: now })
        .where('status', '=', 'running')
        .$if(running.length > 0, query => query.where('source_id', 'not in', [...running]))
        .execute()
    },
    /** Requeues paused jobs that are due. @returns the number of jobs. */
    requeueDue: async (now: string): Promise<number> => {
      const { numUpdatedRows } = await db
        .updateTable('source_index_jobs')
        .set({ status: 'queued', retry_at: null, updated_at: now })
        .where('status', '=', 'paused')
        .where('retry_at', '<=', now)
        .executeTakeFirstOrThrow()
      return Number(numUpdatedRows)
    },
  }
}
