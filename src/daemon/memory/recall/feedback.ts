import type { FeedbackBody, FeedbackReply } from '../../../contract/memory/feedback.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, readBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store'>

/**
 * Keeps a session's ratings of memories that it was shown; the next recall with its key ranks by them (recall.md 4.9).
 * Memories that this agent was not shown in this session, or may no longer be shown, are rejected one by one.
 */
export async function feedback(deps: Deps, caller: Caller, body: FeedbackBody): Promise<FeedbackReply> {
  const session = {
    agentId: agentOf(caller, body) ?? defaultAgent,
    sessionKey: sessionKeyOf(body.session_key),
  }
  const boundary = await readBoundary(deps, caller, body)
  const ratings = Object.entries(body.ratings)
  const accepted = await deps.store.transaction(async ({ memories, recallLedger }) => {
    const ids = ratings.map(([id]) => id)
    const visible = await memories.authorize(ids, boundary, {})
    const rated: string[] = []
    for (const [id, rating] of ratings)
      if (visible.has(id) && (await recallLedger.rate(session, id, rating))) rated.push(id)
    return rated.length
  })
  return {
    ok: true,
    recorded: ratings.length,
    accepted,
    rejected: ratings.length - accepted,
    propagated: 0,
  }
}
