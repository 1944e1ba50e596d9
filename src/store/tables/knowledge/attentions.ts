import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { AttentionsTable } from '../../schema/source-schema.js'

export type Attention = Selectable<AttentionsTable>

/** What Dreaming should look at: one that waits for each agent, subject and kind. */
export function attentionsTable(db: Kysely<Schema>) {
  return {
    /** Adds one; where one waits already, its detail and time are renewed. */
    add: async (attention: Omit<Attention, 'state' | 'attempts' | 'updated_at'>): Promise<void> => {
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
