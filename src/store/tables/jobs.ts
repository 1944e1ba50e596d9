import { type Kysely, type Selectable, sql } from 'kysely'
import type { JobsTable, Schema } from '../schema.js'
import type { VectorModel } from './vectors.js'

export type JobRow = Selectable<JobsTable>

export interface NewJob {
  id: string
  kind: string
  memoryId: string
  maxAttempts: number
}

/** The job queue: pending -> leased -> completed, pending again, or dead (spec 1, 3.2). */
export function jobsTable(db: Kysely<Schema>) {
  return {
    /** Queues a job; an open one of the same kind for the same memory is enough. */
    enqueue: async ({ id, kind, memoryId, maxAttempts }: NewJob, now: string): Promise<void> => {
      await db
        .insertInto('jobs')
        .values({
          id,
          kind,
          memory_id: memoryId,
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
        .onConflict(conflict => conflict.doNothing())
        .execute()
    },
    /** Ids of alive memories without a vector of this model and without an open job, oldest change last. */
    memoriesToEmbed: async (
      { provider, model }: VectorModel,
      kind: string,
      limit: number,
    ): Promise<string[]> => {
      const rows = await db
        .selectFrom('memories')
        .select('id')
        .where('is_deleted', '=', 0)
        .where(
          sql<boolean>`NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.memory_id = memories.id AND v.provider = ${provider} AND v.model = ${model})`,
        )
        .where(
          sql<boolean>`NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = ${kind} AND j.memory_id = memories.id AND j.status IN ('pending', 'leased', 'dead'))`,
        )
        .orderBy('created_at', 'desc')
        .limit(limit)
        .execute()
      return rows.map(row => row.id)
    },
    /** Leases the oldest due jobs and counts the attempt. */
    lease: async (kind: string, limit: number, now: string): Promise<JobRow[]> =>
      db
        .updateTable('jobs')
        .set({ status: 'leased', leased_at: now, updated_at: now, attempts: sql`attempts + 1` })
        .where('id', 'in', eb =>
          eb
            .selectFrom('jobs')
            .select('id')
            .where('kind', '=', kind)
            .where('status', '=', 'pending')
            .where('run_after', '<=', now)
            .orderBy('run_after')
            .orderBy('id')
            .limit(limit),
        )
        .returningAll()
        .execute(),
    complete: async (ids: readonly string[], now: string): Promise<void> => {
      await db
        .updateTable('jobs')
        .set({ status: 'completed', completed_at: now, updated_at: now, leased_at: null })
        .where('id', 'in', [...ids])
        .execute()
    },
    /** Back to pending at `runAfter`, or dead once the attempts are used up. */
    fail: async (ids: readonly string[], error: string, runAfter: string, now: string): Promise<void> => {
      await db
        .updateTable('jobs')
        .set({
          status: sql`CASE WHEN attempts >= max_attempts THEN 'dead' ELSE 'pending' END`,
          last_error: error,
          run_after: runAfter,
          leased_at: null,
          updated_at: now,
        })
        .where('id', 'in', [...ids])
        .execute()
    },
    /** Gives leases back without counting the attempt: the worker stopped, or its provider is away. */
    release: async (ids: readonly string[], now: string): Promise<void> => {
      await db
        .updateTable('jobs')
        .set({ status: 'pending', leased_at: null, updated_at: now, attempts: sql`attempts - 1` })
        .where('id', 'in', [...ids])
        .execute()
    },
    /** Leases older than `before` belonged to a process that died (spec 1, 3.2). */
    releaseStale: async (before: string, now: string): Promise<void> => {
      await db
        .updateTable('jobs')
        .set({
          status: sql`CASE WHEN attempts >= max_attempts THEN 'dead' ELSE 'pending' END`,
          leased_at: null,
          updated_at: now,
        })
        .where('status', '=', 'leased')
        .where('leased_at', '<', before)
        .execute()
    },
  }
}
