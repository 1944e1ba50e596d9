import { type Expression, type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely'
import type { AgentMessageRelaysTable, AgentMessagesTable } from '../../schema/agent-schema.js'
import type { Schema } from '../../schema/schema.js'
import { shapedStatement } from '../../sql/fixed-statement.js'
import { sameProject } from '../../sql/same-project.js'

export type MessageRow = Selectable<AgentMessagesTable>

/** A message and the time its reader acknowledged it. */
export interface InboxRow extends MessageRow {
  acknowledged_at: string | null
}

/** The reader of an inbox: an agent, in one of its sessions or in none. */
export interface Reader {
  agentId: string
  sessionKey: string | undefined
}

export interface InboxFilter {
  /** Earliest time, ISO 8601. */
  since: string | undefined
  unreadOnly: boolean
  withSent: boolean
  withBroadcasts: boolean
  /** The project that the credential is confined to. */
  project: string | undefined
}

/** A reader, or the statement parameters for one. */
interface ReaderValues {
  agentId: string | Expression<string>
  sessionKey: string | Expression<string> | undefined
}

type Condition = ExpressionBuilder<Schema & { m: AgentMessagesTable }, 'm'>

export type RelayRow = Selectable<AgentMessageRelaysTable>

/** The result of an attempt. */
export interface RelayOutcome {
  state: string
  receipt_json: string | null
  error: string | null
}

/** Messages between agents (messages.md 4.10, rules.md 4.10). */
export function messagesTable(db: Kysely<Schema>) {
  return { ...notices(db), ...inbox(db), ...writes(db) }
}

/** Selects unread messages, of all projects unless the credential is confined to one. */
export interface UnreadQuery {
  reader: Reader
  project: string | undefined
  now: string
}

interface NewestUnreadQuery extends UnreadQuery {
  limit: number
}

/** The options that decide the text of the statement. */
interface StatementOptions {
  inSession: boolean
  confined: boolean
}

/** Unread messages that hooks show to a session. */
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
      .$if(project !== undefined, query => query.where(sameProject('m.project', project)))
  const newest = shapedStatement<StatementOptions, NewestUnreadQuery, MessageRow>(
    db,
    ({ inSession, confined }, { value }) =>
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
    /** Returns unacknowledged, unexpired messages to the agent, its session or everyone; newest first. */
    unread: (whose: UnreadQuery, limit: number): Promise<MessageRow[]> =>
      newest(
        { inSession: whose.reader.sessionKey !== undefined, confined: whose.project !== undefined },
        { ...whose, limit },
      ),
    countUnread: async ({ reader, project, now }: UnreadQuery): Promise<number> => {
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
      .$if(filter.project !== undefined, query => query.where(sameProject('m.project', filter.project)))
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
    /** Returns when the next live message expires; undefined when there is none. */
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
    /** Counts the live messages of all agents. */
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

/** Rows deleted per write; an inbox has at most a few times as many. */
const pruned = 2000

function writes(db: Kysely<Schema>) {
  return {
    add: async (row: MessageRow): Promise<void> => {
      await db.insertInto('agent_messages').values(row).execute()
    },
    /** Deletes expired messages, oldest first. */
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
     * Deletes the oldest message that its reader has acknowledged. Broadcasts have many readers and are not
     * counted as read.
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
    /** @returns when the agent first acknowledged it. */
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

/** Matches messages to the whole agent, or to this session of it. */
function toSession(eb: Condition, { agentId, sessionKey }: ReaderValues) {
  return eb.or([
    eb.and([
      eb('m.to_agent_id', '=', agentId),
      eb.or([eb('m.to_session_key', 'is', null), eb('m.to_session_key', '=', sessionKey ?? '')]),
    ]),
    eb.and([eb('m.to_agent_id', 'is', null), eb('m.to_session_key', '=', sessionKey ?? '')]),
  ])
}

/** Without a session the inbox shows all sessions' messages, as ended sessions read no more. */
function toAgent(eb: Condition, reader: ReaderValues) {
  return reader.sessionKey === undefined ? eb('m.to_agent_id', '=', reader.agentId) : toSession(eb, reader)
}

function isBroadcast(eb: Condition) {
  return eb('m.broadcast', '=', sql.lit(1))
}

/**
 * Excludes the reader's own messages. Those of another session of the agent count as news, and in a session
 * those without one: a person at the terminal sends them as the agent of their sessions.
 */
function isNews(eb: Condition, { agentId, sessionKey }: ReaderValues) {
  const isOfOther = eb('m.from_agent_id', '!=', agentId)
  const isOfSession = eb('m.from_session_key', 'is not', null)
  if (sessionKey === undefined) return eb.or([isOfOther, isOfSession])
  const isOfNone = eb('m.from_session_key', 'is', null)
  return eb.or([isOfOther, isOfNone, eb('m.from_session_key', '!=', sessionKey)])
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
