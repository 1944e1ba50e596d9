import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { AttentionsTable } from '../../schema/source-schema.js'
import { unindexed } from '../../sql/dialect.js'

export type Attention = Selectable<AttentionsTable>

export type AttentionOutcome = 'done' | 'empty' | 'declined' | 'failed'

/** Requests for Dreaming to review something; at most one waits per agent, subject and kind. */
export function attentionsTable(db: Kysely<Schema>) {
  return {
    /** Adds an attention; if one already waits, its detail and time are updated. */
    add: async (
      attention: Omit<Attention, 'state' | 'attempts' | 'updated_at' | 'run_after'>,
    ): Promise<void> => {
      const { created_at: now, detail } = attention
      await db
        .insertInto('attentions')
        .values({ ...attention, state: 'waiting', updated_at: now })
        .onConflict(conflict =>
          conflict
            .columns(['agent_id', 'subject_kind', 'subject', 'kind'])
            .where(sql<boolean>`state = 'waiting'`)
            .doUpdateSet({ detail, updated_at: now }),
        )
        .execute()
    },
    /** Returns waiting attentions that may be processed now, oldest first. */
    due: (now: string, limit: number): Promise<Attention[]> =>
      db
        .selectFrom('attentions')
        .selectAll()
        .where(sql<boolean>`state = 'waiting'`)
        .where('run_after', '<=', now)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute(),
    /** Counts an attempt and sets when the next may follow, in case this one does not finish. */
    begin: async (id: string, runAfter: string, now: string): Promise<void> => {
      await waiting(db, id)
        .set({ attempts: sql`attempts + 1`, run_after: runAfter, updated_at: now })
        .execute()
    },
    /** Ends a waiting attention. @returns false when it no longer waits. */
    end: async (
      id: string,
      { state, detail }: { state: AttentionOutcome; detail: string | null },
      now: string,
    ): Promise<boolean> => {
      const { numUpdatedRows } = await waiting(db, id)
        .set({ state, updated_at: now, ...(detail !== null && { detail }) })
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
    countWaiting: async (): Promise<{ kind: string; waiting: number }[]> => {
      const { rows } = await sql<{ kind: string; waiting: number }>`SELECT kind, count(*) AS waiting
        FROM attentions WHERE state = 'waiting' GROUP BY kind ORDER BY kind`.execute(db)
      return rows
    },
    /** Returns attentions about one subject, newest first. */
    of: (agentId: string, subject: string, limit: number): Promise<Attention[]> =>
      db
        .selectFrom('attentions')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('subject', '=', subject)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
  }
}

function waiting(db: Kysely<Schema>, id: string) {
  return db.updateTable('attentions').where('id', '=', id).where(unindexed<string>('state'), '=', 'waiting')
}
