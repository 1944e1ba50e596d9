import { type Message, maxLiveMessages, type SendBody } from '../../../contract/agents/messages.js'
import { AppError, type ErrorDetail } from '../../../contract/ground/errors.js'
import { quoted } from '../../../lib/text/clip.js'
import type { MessageRow } from '../../../store/tables/agents/messages.js'
import { isLive, sessionKeyOf } from '../../ground/sessions/session-key.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import { agentOf } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { sessionOfCaller } from '../../memory/records/caller-session.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { mayRead } from '../../sessions/transcripts/session-transcript.js'
import { toMessage } from './message.js'
import { relayMessage, runsAddress } from './relay-message.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId' | 'configuration' | 'paths'>

/** Messages expire after a week (messages.md 8). */
const retentionMs = 7 * 24 * 60 * 60 * 1000

/**
 * Stores a message, and relays it when it goes to another server (messages.md 4.10). It is on disk before
 * anyone sees it.
 * @returns the message in its current state; for a relay, after the other server answered or the attempt
 * failed.
 * @throws AppError `validation_failed` unless there is exactly one target, `no_such_session`, `rate_limited`
 * for full inboxes, `scope_violation` for a sender that the credential excludes.
 */
export async function sendMessage(deps: Deps, caller: Caller, body: SendBody): Promise<Message> {
  const { store, clock, newId } = deps
  const content = withoutPrivate(body.content)
  if (content.trim() === '') throw invalid('content', 'contains only text marked as private')
  const target = body.via === 'acp' ? toOtherServer(body) : await toOwnInbox(deps, caller, body)
  const sender = await senderOf(deps, caller, body)
  const now = clock()
  const { relay, ...address } = target
  const row: MessageRow = {
    id: newId(),
    ...sender,
    ...address,
    type: body.type,
    content,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + retentionMs).toISOString(),
  }
  const add = () =>
    store.transaction(async ({ messages, messageRelays }) => {
      await messages.prune(row.created_at)
      const isFull = (await messages.countLive(row.created_at)) >= maxLiveMessages
      if (isFull && !(await messages.dropOldestRead()))
        throw full(now, await messages.firstExpiry(row.created_at))
      await messages.add(row)
      if (relay)
        await messageRelays.add({ message_id: row.id, ...relay, ...untried, updated_at: row.created_at })
    })
  if (relay) return relayMessage(deps, row, { from: 'pending', store: add })
  await add()
  return toMessage(row, undefined, null)
}

const untried = { state: 'pending', attempts: 0, receipt_json: null, error: null }

async function senderOf(
  deps: Deps,
  caller: Caller,
  { from_agent_id, from_session_key }: SendBody,
): Promise<Pick<MessageRow, 'from_agent_id' | 'from_session_key' | 'project'>> {
  const agentId = agentOf(caller, { agent_id: from_agent_id }) ?? defaultAgent
  const named = from_session_key ?? (await sessionOfCaller(deps, caller, agentId))
  const sessionKey = named === undefined ? null : sessionKeyOf(named)
  const session =
    sessionKey === null ? undefined : await deps.store.tables.sessions.find({ agentId, sessionKey })
  const project = caller.access.scope.project ?? session?.project ?? null
  return { from_agent_id: agentId, from_session_key: sessionKey, project }
}

interface Target extends Pick<MessageRow, 'to_agent_id' | 'to_session_key' | 'broadcast'> {
  relay?: { base_url: string; target_agent_name: string; timeout_ms: number }
}

async function toOwnInbox({ store, clock }: Deps, caller: Caller, body: SendBody): Promise<Target> {
  const { to_agent_id: agentId, to_session_key: named, broadcast } = body
  if (broadcast && (agentId || named))
    throw invalid('broadcast', 'goes to all agents; leave out to_agent_id and to_session_key')
  if (broadcast) return { to_agent_id: null, to_session_key: null, broadcast: 1 }
  if (!named && !agentId)
    throw invalid('to_agent_id', 'a target is missing: set to_agent_id, to_session_key or broadcast')
  if (!named) return { to_agent_id: agentId ?? null, to_session_key: null, broadcast: 0 }
  const sessionKey = sessionKeyOf(named)
  const { sessions } = store.tables
  const session = agentId
    ? await sessions.find({ agentId, sessionKey })
    : await sessions.byKey(sessionKey, defaultAgent)
  // As in presence, a credential must not learn of sessions that it may not read.
  if (session && mayRead(caller, session) && isLive(session, clock()))
    return { to_agent_id: session.agent_id, to_session_key: sessionKey, broadcast: 0 }
  throw new AppError(
    'no_such_session',
    `live session ${quoted(named)} not found; list them with memory agents presence, or send to the agent (to_agent_id): it gets the message in its next session`,
  )
}

function toOtherServer(body: SendBody): Target {
  const missing: ErrorDetail[] = (['acp_base_url', 'acp_target_agent_name'] as const)
    .filter(path => !body[path])
    .map(path => ({ path, message: 'is required with via acp' }))
  const local = (['to_agent_id', 'to_session_key', 'broadcast'] as const)
    .filter(path => body[path])
    .map(path => ({
      path,
      message: 'is a target on this machine, but via acp sends to another server; leave it out',
    }))
  const faults = [...missing, ...local]
  if (faults.length > 0)
    throw new AppError('validation_failed', `${faults[0]?.path}: ${faults[0]?.message}`, faults)
  const base = body.acp_base_url as string
  if (!runsAddress(base))
    throw invalid('acp_base_url', 'must be an http or https URL without user, password, query or fragment')
  const relay = {
    base_url: base,
    target_agent_name: body.acp_target_agent_name as string,
    timeout_ms: body.acp_timeout_ms,
  }
  return { to_agent_id: null, to_session_key: null, broadcast: 0, relay }
}

function invalid(path: string, message: string): AppError {
  return new AppError('validation_failed', `${path}: ${message}`, [{ path, message }])
}

function full(now: Date, roomAt: string | undefined): AppError {
  const seconds = roomAt === undefined ? 0 : Math.ceil((Date.parse(roomAt) - now.getTime()) / 1000)
  return new AppError(
    'rate_limited',
    `the inboxes are full: ${maxLiveMessages} messages are unread or broadcast; acknowledge one to make room, or wait: messages expire after a week`,
    undefined,
    { headers: { 'retry-after': String(Math.max(1, seconds)) } },
  )
}
