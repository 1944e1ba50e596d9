import { notFound } from '../../../contract/ground/errors.js'
import type { Session } from '../../../contract/sessions/sessions.js'
import { quoted } from '../../../lib/text/clip.js'
import type { SessionRow } from '../../../store/tables/sessions/sessions.js'
import { isLive, sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, type NamedAgent } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { mayRead } from '../transcripts/session-transcript.js'

type Deps = Pick<Daemon, 'store' | 'clock'>

/**
 * Finds a live session by its key. A caller that names no agent gets the default agent's session before
 * another agent's (rules.md 4.11).
 * @throws AppError `not_found` for a session that is unknown, ended, or not visible to the caller.
 */
export async function findSession(
  { store, clock }: Deps,
  caller: Caller,
  key: string,
  named: NamedAgent,
): Promise<SessionRow> {
  const sessionKey = sessionKeyOf(key)
  const agentId = agentOf(caller, named)
  const { sessions } = store.tables
  const row = agentId
    ? await sessions.find({ agentId, sessionKey })
    : await sessions.byKey(sessionKey, defaultAgent)
  if (row && mayRead(caller, row) && isLive(row, clock())) return row
  throw notFound(
    `live session ${quoted(key)} not found`,
    'list live sessions with memory sessions list, or read an ended one with memory sessions transcript',
  )
}

/** @param now ISO timestamp; claims expired by then are left out. */
export function toSession(row: SessionRow, now: string): Session {
  const isClaimed = row.runtime_path !== null && (row.expires_at ?? '') > now
  return {
    key: row.session_key,
    agentId: row.agent_id,
    harness: row.harness,
    project: row.project,
    runtimePath: isClaimed ? row.runtime_path : null,
    claimedAt: isClaimed ? row.claimed_at : null,
    expiresAt: isClaimed ? row.expires_at : null,
    bypassed: row.bypassed === 1,
    parentKey: row.parent_key,
    startedAt: row.started_at,
    seenAt: row.seen_at,
    prompts: row.prompts,
  }
}
