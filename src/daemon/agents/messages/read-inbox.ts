import {
  type InboxQuery,
  type Message,
  maxLiveMessages,
  type Peer,
  type PresenceQuery,
} from '../../../contract/agents/messages.js'
import type { InboxFilter, Reader } from '../../../store/tables/agents/messages.js'
import { liveSessionCutoff, sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, assertInScope } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { sessionOfCaller } from '../../memory/records/caller-session.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { mayRead } from '../../sessions/transcripts/session-transcript.js'
import { toMessage } from './message.js'

type Deps = Pick<Daemon, 'store' | 'clock'>

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
export async function readInbox(
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
export async function listPresence(deps: Deps, caller: Caller, query: PresenceQuery): Promise<Peer[]> {
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
