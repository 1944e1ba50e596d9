import { type Kysely, type Selectable, sql } from 'kysely'
import type { AgentMessagesTable, Schema } from '../../schema/schema.js'

export type MessageRow = Selectable<AgentMessagesTable>

/** Who reads an inbox: an agent, in one of its sessions or in none. */
export interface Reader {
  agentId: string
  sessionKey: string | undefined
}

/** Messages between agents (rules.md 4.10): the reading side. */
export function messagesTable(db: Kysely<Schema>) {
  const unread = ({ agentId, sessionKey }: Reader, now: string) =>
    db
      .selectFrom('agent_messages as m')
      .where(eb =>
        eb.or([
          eb.and([
            eb('m.to_agent_id', '=', agentId),
            eb.or([eb('m.to_session_key', 'is', null), eb('m.to_session_key', '=', sessionKey ?? '')]),
          ]),
          eb.and([eb('m.to_agent_id', 'is', null), eb('m.to_session_key', '=', sessionKey ?? '')]),
          eb('m.broadcast', '=', sql.lit(1)),
        ]),
      )
      // Another session of the same agent is a peer; what this one sent, or the agent to itself, is not news.
      .where(eb =>
        eb.or([
          eb('m.from_agent_id', '!=', agentId),
          eb.and([
            eb('m.from_session_key', 'is not', null),
            eb('m.from_session_key', '!=', sessionKey ?? sql.ref<string>('m.from_session_key')),
          ]),
        ]),
      )
      .where('m.expires_at', '>', now)
      .where(eb =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('agent_message_acks as a')
              .select('a.message_id')
              .whereRef('a.message_id', '=', 'm.id')
              .where('a.agent_id', '=', agentId),
          ),
        ),
      )
  return {
    /** What an agent has not acknowledged and nothing has expired: sent to it, to its session or to all; newest first. */
    unread: (reader: Reader, now: string, limit: number): Promise<MessageRow[]> =>
      unread(reader, now)
        .selectAll('m')
        .orderBy('m.created_at', 'desc')
        .orderBy('m.id', 'desc')
        .limit(limit)
        .execute(),
    countUnread: async (reader: Reader, now: string): Promise<number> => {
      const { count } = await unread(reader, now)
        .select(sql<number>`count(*)`.as('count'))
        .executeTakeFirstOrThrow()
      return count
    },
  }
}
