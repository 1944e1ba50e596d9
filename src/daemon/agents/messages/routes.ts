import * as contract from '../../../contract/agents/messages.js'
import {
  type InboxQuery,
  type Message,
  maxLiveMessages,
  type Peer,
  type PresenceQuery,
} from '../../../contract/agents/messages.js'
import { type AppError, notFound } from '../../../contract/ground/errors.js'
import { quoted } from '../../../lib/text/clip.js'
import type { InboxFilter, MessageRow, Reader } from '../../../store/tables/agents/messages.js'
import { isWithinProject } from '../../../store/tables/memory/memory-filter.js'
import { liveSessionCutoff, sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, assertInScope, type NamedAgent } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { sessionOfCaller } from '../../memory/records/caller-session.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { mayRead } from '../../sessions/transcripts/session-transcript.js'
import { toMessage } from './message.js'
import { relayMessage } from './relay-message.js'
import { sendMessage } from './send-message.js'

export const routes = [
  route(contract.listPresence, async (daemon, { caller, query }) => {
    const sessions = await listPresence(daemon, caller, query)
    return { sessions, count: sessions.length }
  }),
  route(contract.sendMessage, (daemon, { caller, body }) => sendMessage(daemon, caller, body)),
  route(contract.readInbox, (daemon, { caller, query }) => readInbox(daemon, caller, query)),
  route(contract.acknowledgeMessage, (daemon, { caller, params, body }) =>
    acknowledge(daemon, caller, { ...body, ...params }),
  ),
  route(contract.retryMessage, async (daemon, { caller, params, body }) =>
    relayMessage(daemon, await findSent(daemon, caller, { ...body, ...params }), { from: 'indeterminate' }),
  ),
]

type Deps = Pick<Daemon, 'store' | 'clock'>

/**
 * Marks a message as read by an agent; repeating it changes nothing (messages.md 4.10).
 * @throws AppError `not_found` for an expired message, or one that the agent or named session can't read.
 */
async function acknowledge(
  { store, clock }: Deps,
  caller: Caller,
  { messageId, session_key, ...named }: { messageId: string; session_key?: string | null } & NamedAgent,
): Promise<{ messageId: string; agentId: string; acknowledgedAt: string; alreadyAcknowledged: boolean }> {
  const agentId = agentOf(caller, named) ?? defaultAgent
  const sessionKey = session_key == null ? undefined : sessionKeyOf(session_key)
  const now = clock().toISOString()
  const { at, isNew } = await store.transaction(async ({ messages, sessions }) => {
    const row = await findVisible({ messages }, caller, messageId, now)
    const isReader =
      row.broadcast === 1 ||
      row.to_agent_id === agentId ||
      (row.to_session_key !== null &&
        row.to_agent_id === null &&
        (await sessions.find({ agentId, sessionKey: row.to_session_key })) !== undefined)
    const isOfOtherSession =
      sessionKey !== undefined && row.to_session_key !== null && row.to_session_key !== sessionKey
    if (!isReader || isOfOtherSession) throw noMessage(messageId)
    return messages.acknowledge(messageId, agentId, now)
  })
  return { messageId, agentId, acknowledgedAt: at, alreadyAcknowledged: !isNew }
}

/**
 * Returns a message that the agent sent.
 * @throws AppError `not_found` for a message of another agent, or an expired one.
 */
async function findSent(
  { store, clock }: Deps,
  caller: Caller,
  { messageId, ...named }: { messageId: string } & NamedAgent,
): Promise<MessageRow> {
  const agentId = agentOf(caller, named) ?? defaultAgent
  const row = await findVisible(store.tables, caller, messageId, clock().toISOString())
  if (row.from_agent_id !== agentId) throw noMessage(messageId)
  return row
}

async function findVisible(
  { messages }: Pick<Daemon['store']['tables'], 'messages'>,
  { access: { scope } }: Caller,
  id: string,
  now: string,
): Promise<MessageRow> {
  const row = await messages.find(id, now)
  if (!row || !isWithinProject(row.project, scope)) throw noMessage(id)
  return row
}

function noMessage(id: string): AppError {
  return notFound(
    `message ${quoted(id)} not found for this agent`,
    'list its messages with memory messages inbox',
  )
}

/**
 * Returns the reader of an inbox: in the named session, else in that of the agent program that calls.
 * @throws AppError `scope_violation` for another agent than the credential's.
 */
async function readerOf(deps: Deps, caller: Caller, query: InboxQuery | PresenceQuery): Promise<Reader> {
  const named = query.session_key ?? query.sessionKey
  const agentId = agentOf(caller, query) ?? defaultAgent
  if (named !== undefined) return { agentId, sessionKey: sessionKeyOf(named) }
  const own = caller.harness === undefined ? undefined : await sessionOfCaller(deps, caller, agentId)
  return { agentId, sessionKey: own }
}

/** Lists the messages of an agent, newest first, without acknowledging any (messages.md 4.10). */
async function readInbox(
  deps: Deps,
  caller: Caller,
  query: InboxQuery,
): Promise<{
  items: Message[]
  count: number
  total: number
  unreadCount: number
  limit: number
  offset: number
  hasMore: boolean
  capacity: { live: number; limit: number }
}> {
  const { store, clock } = deps
  const reader = await readerOf(deps, caller, query)
  const { limit, offset } = query
  const filter: InboxFilter = {
    since: query.since,
    unreadOnly: query.unread_only,
    withSent: query.include_sent,
    withBroadcasts: query.include_broadcast,
    project: caller.access.scope.project,
  }
  const now = clock().toISOString()
  const { messages, messageRelays } = store.tables
  const [rows, total, unreadCount, live] = await Promise.all([
    messages.page(reader, filter, { now, limit, offset }),
    messages.count(reader, filter, now),
    messages.count(reader, { ...filter, unreadOnly: true }, now),
    messages.countLive(now),
  ])
  const relays = new Map(
    (await messageRelays.of(rows.map(({ id }) => id))).map(relay => [relay.message_id, relay]),
  )
  const items = rows.map(({ acknowledged_at, ...row }) => toMessage(row, relays.get(row.id), acknowledged_at))
  return {
    items,
    count: items.length,
    total,
    unreadCount,
    limit,
    offset,
    hasMore: offset + items.length < total,
    capacity: { live, limit: maxLiveMessages },
  }
}

/**
 * Lists live sessions that could answer now, as far as the credential may read sessions; the reader's own
 * only on request (messages.md 4.10).
 */
async function listPresence(deps: Deps, caller: Caller, query: PresenceQuery): Promise<Peer[]> {
  const { store, clock } = deps
  const { scope } = caller.access
  assertInScope(scope, 'project', query.project)
  const self = await readerOf(deps, caller, query)
  const project = query.project ?? scope.project
  const rows = await store.tables.sessions.live(
    {
      agentId: undefined,
      project,
      since: liveSessionCutoff(clock()),
      ...(!query.include_self && { except: self }),
    },
    query.limit,
  )
  const readable = rows.filter(row => mayRead(caller, row))
  return readable.map(row => ({
    key: row.session_key,
    agentId: row.agent_id,
    harness: row.harness,
    project: row.project,
    startedAt: row.started_at,
    seenAt: row.seen_at,
  }))
}
