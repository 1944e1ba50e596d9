import { type Kysely, type Selectable, sql } from 'kysely'
import type { AgentMessageRelaysTable } from '../../schema/agent-schema.js'
import type { Schema } from '../../schema/schema.js'

export type RelayRow = Selectable<AgentMessageRelaysTable>

/** How an attempt ended. */
export interface RelayEnd {
  state: string
  receipt_json: string | null
  error: string | null
}

/** Messages that are handed to other servers, each at most a few times (messages.md 3.5). */
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
    /** Takes a message for one attempt. @returns false when it is in another state, or was tried often enough. */
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
    end: async (messageId: string, end: RelayEnd, now: string): Promise<void> => {
      await db
        .updateTable('agent_message_relays')
        .set({ ...end, updated_at: now })
        .where('message_id', '=', messageId)
        .execute()
    },
    /** What a daemon that ended had in hand: nobody knows whether it arrived. @param but what this one has in hand. */
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
