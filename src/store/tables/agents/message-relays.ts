import { type Kysely, type Selectable, sql } from 'kysely'
import type { AgentMessageRelaysTable } from '../../schema/agent-schema.js'
import type { Schema } from '../../schema/schema.js'

export type RelayRow = Selectable<AgentMessageRelaysTable>

/** The result of an attempt. */
export interface RelayOutcome {
  state: string
  receipt_json: string | null
  error: string | null
}

/** Messages sent to other servers, each with a limited number of attempts (messages.md 3.5). */
export function messageRelaysTable(db: Kysely<Schema>) {
  return {
    add: async (row: RelayRow): Promise<void> => {
      await db.insertInto('agent_message_relays').values(row).execute()
    },
    of: (messageIds: readonly string[]): Promise<RelayRow[]> =>
      db
        .selectFrom('agent_message_relays')
        .selectAll()
        .where('message_id', 'in', [...messageIds])
        .execute(),
    /** Starts one attempt. @returns false when the state differs or no attempts are left. */
    begin: async (
      messageId: string,
      { from, maxAttempts, now }: { from: string; maxAttempts: number; now: string },
    ): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('agent_message_relays')
        .set({ state: 'in_flight', attempts: sql`attempts + 1`, error: null, updated_at: now })
        .where('message_id', '=', messageId)
        .where('state', '=', from)
        .where('attempts', '<', maxAttempts)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
    end: async (messageId: string, end: RelayOutcome, now: string): Promise<void> => {
      await db
        .updateTable('agent_message_relays')
        .set({ ...end, updated_at: now })
        .where('message_id', '=', messageId)
        .execute()
    },
    /**
     * Marks messages of an ended daemon as indeterminate: they may or may not have arrived.
     * @param but messages that this daemon is sending.
     */
    lose: async (but: readonly string[], { error, now }: { error: string; now: string }): Promise<void> => {
      await db
        .updateTable('agent_message_relays')
        .set({ state: 'indeterminate', error, updated_at: now })
        .where(sql<boolean>`state IN ('pending', 'in_flight')`)
        .$if(but.length > 0, query => query.where('message_id', 'not in', [...but]))
        .execute()
    },
  }
}
