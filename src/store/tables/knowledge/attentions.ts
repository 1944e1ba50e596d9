import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { AttentionsTable } from '../../schema/source-schema.js'
import { unindexed } from '../../sql/dialect.js'

export type Attention = Selectable<AttentionsTable>

/** How an attention ends. */
export type AttentionEnd = 'done' | 'empty' | 'declined' | 'failed'

/** What Dreaming should look at: one that waits for each agent, subject and kind. */
export function attentionsTable(db: Kysely<Schema>) {
  return {
    /** Adds one; where one waits already, its detail and time are renewed. */
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
    /** Those that wait and may be looked at, oldest first. */
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
    /** Counts a look at one and sets when the next may follow, should this one not come to an end. */
    begin: async (id: string, runAfter: string, now: string): Promise<void> => {
      await waiting(db, id)
        .set({ attempts: sql`attempts + 1`, run_after: runAfter, updated_at: now })
        .execute()
    },
    /** Ends one that waits. @returns false when it waits no more. */
    end: async (
      id: string,
      { state, detail }: { state: AttentionEnd; detail: string | null },
      now: string,
    ): Promise<boolean> => {
      const { numUpdatedRows } = await waiting(db, id)
        .set({ state, updated_at: now, ...(detail !== null && { detail }) })
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
    /** How many wait, by kind. */
    countWaiting: async (): Promise<{ kind: string; waiting: number }[]> => {
      const { rows } = await sql<{ kind: string; waiting: number }>`SELECT kind, count(*) AS waiting
        FROM attentions WHERE state = 'waiting' GROUP BY kind ORDER BY kind`.execute(db)
      return rows
    },
    /** Those about one subject, newest first. */
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
