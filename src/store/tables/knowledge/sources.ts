import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { SourceIndexJobsTable, SourcesTable } from '../../schema/source-schema.js'
import { listOf } from '../../sql/dialect.js'
import { fixedStatement } from '../../sql/fixed-statement.js'
import type { ReadBoundary } from '../memory/memory-filter.js'

export type SourceRow = Selectable<SourcesTable>
export type NewSource = Pick<
  SourceRow,
  | 'id'
  | 'agent_id'
  | 'kind'
  | 'name'
  | 'root'
  | 'settings'
  | 'exclude_globs'
  | 'created_by'
  | 'created_at'
  | 'updated_at'
>

/** Changes to a source's counts when its artifacts change. */
export interface CountChange {
  artifacts: number
  chunks: number
  covered: number
}

export type SourceJobRow = Selectable<SourceIndexJobsTable>

/** Progress that a running pass reports. */
export type JobProgress = Partial<
  Pick<
    SourceJobRow,
    'status_message' | 'scanned' | 'indexed' | 'total' | 'partial' | 'resume_frontier' | 'attempts'
  >
>

/** Registered sources, and tombstones of those being purged. */
export function sourcesTable(db: Kysely<Schema>) {
  return { ...reads(db), ...writes(db) }
}

function reads(db: Kysely<Schema>) {
  type Having = Pick<SourceRow, 'agent_id'>
  const all = sql<Having>`SELECT DISTINCT agent_id FROM sources WHERE removed_at IS NULL`
  const having = fixedStatement<undefined, Having>(db, () => all, 'sources')
  const havingAmong = fixedStatement<readonly string[], Having>(
    db,
    ({ rows }) => sql`${all} AND agent_id IN (SELECT value FROM ${rows(agents => agents, 'among')})`,
  )
  return {
    /** Returns a source in any state. */
    load: (id: string): Promise<SourceRow | undefined> =>
      db.selectFrom('sources').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Returns sources of some agents, oldest first, without tombstones. */
    list: (agentIds: readonly string[]): Promise<SourceRow[]> =>
      db
        .selectFrom('sources')
        .selectAll()
        .where(sql<boolean>`agent_id IN ${listOf(agentIds)}`)
        .where('removed_at', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
    /** Returns the sources of all agents, without tombstones; they are few. */
    all: (): Promise<SourceRow[]> =>
      db.selectFrom('sources').selectAll().where('removed_at', 'is', null).orderBy('id').execute(),
    /** Returns tombstones whose purge is not finished. */
    removed: (): Promise<SourceRow[]> =>
      db.selectFrom('sources').selectAll().where('removed_at', 'is not', null).orderBy('id').execute(),
    /** Returns the given sources that no recall has returned yet. */
    notRecalled: (ids: readonly string[]): Promise<Pick<SourceRow, 'id' | 'kind'>[]> =>
      db
        .selectFrom('sources')
        .select(['id', 'kind'])
        .where('id', 'in', [...ids])
        .where('recalled_at', 'is', null)
        .execute(),
    /** Returns agents that have a source and are inside the boundary. */
    agentsWithin: async ({ agents, globalOf }: ReadBoundary): Promise<string[]> => {
      const rows = globalOf === 'all' ? await having(undefined) : await havingAmong([...agents, ...globalOf])
      return rows.map(row => row.agent_id)
    },
  }
}

function writes(db: Kysely<Schema>) {
  return {
    /** @returns false when it already exists. */
    insert: async (source: NewSource): Promise<boolean> => {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('sources')
        .values(source)
        .onConflict(conflict => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow()
      return Number(numInsertedOrUpdatedRows) > 0
    },
    /** Updates a source without a tombstone. @returns whether there was one. */
    change: async (id: string, fields: Partial<SourceRow>): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('sources')
        .set(fields)
        .where('id', '=', id)
        .where('removed_at', 'is', null)
        .executeTakeFirstOrThrow()
      return Number(numUpdatedRows) > 0
    },
    /** Updates the counts of a source whose artifacts changed, also of a tombstone. */
    count: async (id: string, { artifacts, chunks, covered }: CountChange): Promise<void> => {
      await db
        .updateTable('sources')
        .set({
          artifacts: sql`artifacts + ${artifacts}`,
          chunks: sql`chunks + ${chunks}`,
          covered: sql`covered + ${covered}`,
          links_due: 1,
        })
        .where('id', '=', id)
        .execute()
    },
    noteRecalled: async (id: string, now: string): Promise<void> => {
      await db.updateTable('sources').set({ recalled_at: now }).where('id', '=', id).execute()
    },
    /** Starts the next pass. @returns its number. */
    nextPass: async (id: string): Promise<number> => {
      const { pass } = await db
        .updateTable('sources')
        .set({ pass: sql`pass + 1` })
        .where('id', '=', id)
        .returning('pass')
        .executeTakeFirstOrThrow()
      return pass
    },
    /**
     * Makes a source a tombstone, which hides it. @returns false when it is absent or already a tombstone.
     */
    bury: async (id: string, now: string): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('sources')
        .set({ removed_at: now, updated_at: now })
        .where('id', '=', id)
        .where('removed_at', 'is', null)
        .executeTakeFirstOrThrow()
      return Number(numUpdatedRows) > 0
    },
    /**
     * Makes the sources of a removed agent tombstones, with or without imported transcripts.
     * @returns whether there were any.
     */
    buryOf: async (
      agentId: string,
      now: string,
      { keepImports }: { keepImports: boolean },
    ): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('sources')
        .set({ removed_at: now, updated_at: now })
        .where('agent_id', '=', agentId)
        .where('removed_at', 'is', null)
        .$if(keepImports, query =>
          query.where(
            sql<boolean>`NOT EXISTS (SELECT 1 FROM transcript_imports i
              WHERE i.agent_id = ${agentId} AND i.source_id = sources.id)`,
          ),
        )
        .executeTakeFirstOrThrow()
      return Number(numUpdatedRows) > 0
    },
    /** Counts purged artifacts of a source. */
    notePurged: async (id: string, artifacts: number): Promise<void> => {
      await db
        .updateTable('sources')
        .set({ purged: sql`purged + ${artifacts}` })
        .where('id', '=', id)
        .execute()
    },
    /** Deletes the row with its job, checkpoints and faults, after its artifacts were deleted. */
    drop: async (id: string): Promise<void> => {
      await db.deleteFrom('sources').where('id', '=', id).execute()
    },
  }
}

/** The index jobs of sources, one row per source; the table is the queue too (sources.md#the-index-job). */
export function sourceJobsTable(db: Kysely<Schema>) {
  return { ...jobReads(db), ...jobWrites(db) }
}

function jobReads(db: Kysely<Schema>) {
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

function jobWrites(db: Kysely<Schema>) {
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
