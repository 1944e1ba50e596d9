import { type Expression, type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely'
import type { AgentMessagesTable } from '../../schema/agent-schema.js'
import type { Schema } from '../../schema/schema.js'
import { shapedStatement } from '../../sql/fixed-statement.js'

export type MessageRow = Selectable<AgentMessagesTable>

/** A message with what its reader did. */
export interface InboxRow extends MessageRow {
  acknowledged_at: string | null
}

/** Who reads an inbox: an agent, in one of its sessions or in none. */
export interface Reader {
  agentId: string
  sessionKey: string | undefined
}

/** Which messages an inbox shows. */
export interface InboxFilter {
  /** ISO; from then on. */
  since: string | undefined
  unreadOnly: boolean
  withSent: boolean
  withBroadcasts: boolean
  /** What a credential is confined to. */
  project: string | undefined
}

/** A reader, or the places of a statement that are filled with one. */
interface ReaderValues {
  agentId: string | Expression<string>
  sessionKey: string | Expression<string> | undefined
}

type Condition = ExpressionBuilder<Schema & { m: AgentMessagesTable }, 'm'>

/** Messages between agents (messages.md 4.10, rules.md 4.10). */
export function messagesTable(db: Kysely<Schema>) {
  return { ...notices(db), ...inbox(db), ...writes(db) }
}

/** Whose unread messages are told: of all projects, unless a credential is confined to one. */
export interface Unread {
  reader: Reader
  project: string | undefined
  now: string
}

interface Newest extends Unread {
  limit: number
}

/** What the text of a statement follows from. */
interface Shape {
  inSession: boolean
  confined: boolean
}

/** What hooks tell a session of. */
function notices(db: Kysely<Schema>) {
  const unread = (
    reader: ReaderValues,
    project: string | Expression<string> | undefined,
    now: string | Expression<string>,
  ) =>
    db
      .selectFrom('agent_messages as m')
      .where(eb => eb.or([toSession(eb, reader), isBroadcast(eb)]))
      .where(eb => isNews(eb, reader))
      .where('m.expires_at', '>', now)
      .where(eb => eb.not(isAcknowledged(eb, reader.agentId)))
      .$if(project !== undefined, query => query.where('m.project', '=', project as string))
  const newest = shapedStatement<Shape, Newest, MessageRow>(db, ({ inSession, confined }, { value }) =>
    unread(
      {
        agentId: value(({ reader }) => reader.agentId),
        sessionKey: inSession ? value(({ reader }) => reader.sessionKey as string) : undefined,
      },
      confined ? value(({ project }) => project as string) : undefined,
      value(({ now }) => now),
    )
      .selectAll('m')
      .orderBy('m.created_at', 'desc')
      .orderBy('m.id', 'desc')
      .limit(value(({ limit }) => limit)),
  )
  return {
    /** What an agent has not acknowledged and nothing has expired: sent to it, to its session or to all; newest first. */
    unread: (whose: Unread, limit: number): Promise<MessageRow[]> =>
      newest(
        { inSession: whose.reader.sessionKey !== undefined, confined: whose.project !== undefined },
        { ...whose, limit },
      ),
    countUnread: async ({ reader, project, now }: Unread): Promise<number> => {
      const { count } = await unread(reader, project, now)
        .select(sql<number>`count(*)`.as('count'))
        .executeTakeFirstOrThrow()
      return count
    },
  }
}

function inbox(db: Kysely<Schema>) {
  const found = (reader: Reader, filter: InboxFilter, now: string) =>
    db
      .selectFrom('agent_messages as m')
      .where(eb => {
        const others = [toAgent(eb, reader), ...(filter.withBroadcasts ? [isBroadcast(eb)] : [])]
        const received = eb.and([eb.or(others), isNews(eb, reader)])
        if (filter.unreadOnly) return eb.and([received, eb.not(isAcknowledged(eb, reader.agentId))])
        return filter.withSent ? eb.or([received, eb('m.from_agent_id', '=', reader.agentId)]) : received
      })
      .where('m.expires_at', '>', now)
      .$if(filter.since !== undefined, query => query.where('m.created_at', '>=', filter.since as string))
      .$if(filter.project !== undefined, query => query.where('m.project', '=', filter.project as string))
  const counted = async (reader: Reader, filter: InboxFilter, now: string): Promise<number> => {
    const { count } = await found(reader, filter, now)
      .select(sql<number>`count(*)`.as('count'))
      .executeTakeFirstOrThrow()
    return count
  }
  return {
    /** Newest first. */
    page: (
      reader: Reader,
      filter: InboxFilter,
      { now, limit, offset }: { now: string; limit: number; offset: number },
    ): Promise<InboxRow[]> =>
      found(reader, filter, now)
        .leftJoin('agent_message_acks as a', join =>
          join.onRef('a.message_id', '=', 'm.id').on('a.agent_id', '=', reader.agentId),
        )
        .selectAll('m')
        .select('a.acknowledged_at')
        .orderBy('m.created_at', 'desc')
        .orderBy('m.id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
    count: counted,
    find: (id: string, now: string): Promise<MessageRow | undefined> =>
      db
        .selectFrom('agent_messages')
        .selectAll()
        .where('id', '=', id)
        .where('expires_at', '>', now)
        .executeTakeFirst(),
    /** When the first of those that count expires; undefined when there is none. */
    firstExpiry: async (now: string): Promise<string | undefined> => {
      const first = await db
        .selectFrom('agent_messages')
        .select('expires_at')
        .where('expires_at', '>', now)
        .orderBy('expires_at')
        .limit(1)
        .executeTakeFirst()
      return first?.expires_at
    },
    /** Of all agents. */
    countLive: async (now: string): Promise<number> => {
      const { count } = await db
        .selectFrom('agent_messages')
        .select(sql<number>`count(*)`.as('count'))
        .where('expires_at', '>', now)
        .executeTakeFirstOrThrow()
      return count
    },
  }
}

/** Rows that one write removes: an inbox holds a few times as many at most. */
const pruned = 2000

function writes(db: Kysely<Schema>) {
  return {
    add: async (row: MessageRow): Promise<void> => {
      await db.insertInto('agent_messages').values(row).execute()
    },
    /** Deletes what has expired, the oldest first. */
    prune: async (now: string): Promise<void> => {
      const expired = db
        .selectFrom('agent_messages')
        .select('id')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(pruned)
      await db.deleteFrom('agent_messages').where('id', 'in', expired).execute()
    },
    /**
     * Deletes the oldest message that its one reader has acknowledged; of a broadcast nobody knows whether all have.
     * @returns false when there is none.
     */
    dropOldestRead: async (): Promise<boolean> => {
      const read = db
        .selectFrom('agent_messages as m')
        .select('m.id')
        .where(eb => isAcknowledged(eb, eb.ref('m.to_agent_id').$notNull()))
        .orderBy('m.expires_at')
        .limit(1)
      const dropped = await db.deleteFrom('agent_messages').where('id', '=', read).executeTakeFirst()
      return dropped.numDeletedRows > 0
    },
    /** @returns when the agent acknowledged it, now or the first time. */
    acknowledge: async (
      messageId: string,
      agentId: string,
      now: string,
    ): Promise<{ at: string; isNew: boolean }> => {
      const added = await db
        .insertInto('agent_message_acks')
        .values({ message_id: messageId, agent_id: agentId, acknowledged_at: now })
        .onConflict(conflict => conflict.doNothing())
        .returning('acknowledged_at')
        .executeTakeFirst()
      if (added) return { at: now, isNew: true }
      const known = await db
        .selectFrom('agent_message_acks')
        .select('acknowledged_at')
        .where('message_id', '=', messageId)
        .where('agent_id', '=', agentId)
        .executeTakeFirstOrThrow()
      return { at: known.acknowledged_at, isNew: false }
    },
  }
}

/** To the agent as a whole, or to this session of it. */
function toSession(eb: Condition, { agentId, sessionKey }: ReaderValues) {
  return eb.or([
    eb.and([
      eb('m.to_agent_id', '=', agentId),
      eb.or([eb('m.to_session_key', 'is', null), eb('m.to_session_key', '=', sessionKey ?? '')]),
    ]),
    eb.and([eb('m.to_agent_id', 'is', null), eb('m.to_session_key', '=', sessionKey ?? '')]),
  ])
}

/** What a reader without a session looks at is the mail of all sessions of the agent: those that ended read no more. */
function toAgent(eb: Condition, reader: ReaderValues) {
  return reader.sessionKey === undefined ? eb('m.to_agent_id', '=', reader.agentId) : toSession(eb, reader)
}

function isBroadcast(eb: Condition) {
  return eb('m.broadcast', '=', sql.lit(1))
}

/** Another session of the same agent is a peer; what this one sent, or the agent to itself, is not news. */
function isNews(eb: Condition, { agentId, sessionKey }: ReaderValues) {
  return eb.or([
    eb('m.from_agent_id', '!=', agentId),
    eb.and([
      eb('m.from_session_key', 'is not', null),
      eb('m.from_session_key', '!=', sessionKey ?? sql.ref<string>('m.from_session_key')),
    ]),
  ])
}

function isAcknowledged(eb: Condition, agentId: ReaderValues['agentId']) {
  return eb.exists(
    eb
      .selectFrom('agent_message_acks as a')
      .select('a.message_id')
      .whereRef('a.message_id', '=', 'm.id')
      .where('a.agent_id', '=', agentId),
  )
}
