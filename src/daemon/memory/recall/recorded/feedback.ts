import type { FeedbackBody, FeedbackReply } from '../../../../contract/memory/feedback.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import { agentOf, readBoundary } from '../../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { surfaceOf } from './recall-with-telemetry.js'

type Deps = Pick<Daemon, 'store' | 'configuration' | 'telemetry'>

/**
 * Stores a session's ratings of memories that it was shown. The next recall with its key uses them for these
 * memories and for entities that they mention (recall.md 4.9). Memories that the agent was not shown in this
 * session, or may no longer see, are rejected one by one.
 */
export async function feedback(deps: Deps, caller: Caller, body: FeedbackBody): Promise<FeedbackReply> {
  const session = {
    agentId: agentOf(caller, body) ?? defaultAgent,
    sessionKey: sessionKeyOf(body.session_key),
  }
  const boundary = await readBoundary(deps, caller, body)
  const ratings = Object.entries(body.ratings)
  const rated = await deps.store.transaction(async ({ memories, recallLedger }) => {
    const ids = ratings.map(([id]) => id)
    const visible = await memories.authorize(ids, boundary, {})
    const taken: string[] = []
    for (const [id, rating] of ratings)
      if (visible.has(id) && (await recallLedger.rate(session, id, rating))) taken.push(id)
    return taken
  })
  if (ratings.some(([id, rating]) => rating > 0 && rated.includes(id)))
    deps.telemetry.note({
      event: 'recall.outcome',
      properties: { surface: surfaceOf(caller), result: 'non_empty', delivery: 'consumed' },
    })
  return {
    ok: true,
    recorded: ratings.length,
    accepted: rated.length,
    rejected: ratings.length - rated.length,
    propagated: await propagated(deps, session.agentId, rated),
  }
}

/**
 * Counts the rated memories that mention entities; their ratings affect graph paths of the session's next
 * recall.
 */
async function propagated({ store, configuration }: Deps, agentId: string, rated: string[]): Promise<number> {
  const { claims, traversal } = configuration().settings.recall
  if (rated.length === 0 || (!claims && !traversal)) return 0
  const mentions = await store.tables.recallPaths.mentionedBy(agentId, rated)
  return new Set(mentions.map(({ memory_id }) => memory_id)).size
}
