import { type AppError, notFound } from '../../../contract/ground/errors.js'
import { quoted } from '../../../lib/text/clip.js'
import type { MessageRow } from '../../../store/tables/agents/messages.js'
import { isWithinProject } from '../../../store/tables/memory/memory-filter.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, type NamedAgent } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store' | 'clock'>

/**
 * Marks a message as read by an agent; repeating it changes nothing (messages.md 4.10).
 * @throws AppError `not_found` for an expired message, or one that the agent or named session can't read.
 */
export async function acknowledge(
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
export async function findSent(
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
