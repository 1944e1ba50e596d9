import { AppError } from '../../../../contract/ground/errors.js'
import type { FeedbackBody, FeedbackReply, Judgement } from '../../../../contract/memory/feedback.js'
import { quoted } from '../../../../lib/text/clip.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import { agentOf, type NamedAgent, readBoundary } from '../../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { sessionOfCaller } from '../../records/caller-session.js'
import { surfaceOf } from './recall-with-telemetry.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'configuration' | 'telemetry'>

/**
 * Stores a session's ratings of memories that it was shown. The next recall with its key uses them for these
 * memories and for entities that they mention (recall.md 4.9). Memories that the agent was not shown in this
 * session, or may no longer see, are rejected one by one. Without a key it is the session of the caller.
 * @throws AppError `validation_failed` without a key for a caller whose session is unknown
 */
export async function feedback(deps: Deps, caller: Caller, body: FeedbackBody): Promise<FeedbackReply> {
  const session = await ratingSession(deps, caller, body)
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

async function ratingSession(deps: Deps, caller: Caller, body: FeedbackBody) {
  const agentId = agentOf(caller, body) ?? defaultAgent
  const { session_key: named } = body
  const sessionKey = named ? sessionKeyOf(named) : await sessionOfCaller(deps, caller, agentId)
  if (sessionKey !== undefined) return { agentId, sessionKey }
  const message = 'session_key is missing, and no live session of this program is known in the project'
  throw new AppError('validation_failed', message, [{ path: 'session_key', message: 'is required' }])
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

/** Ratings of a person's judgements; a session's are from -1 to 1. */
const ratings = { up: 1, down: -1, wrong: -2, none: 0 } as const satisfies Record<Judgement, number>

/**
 * Stores a person's judgement of a memory, which counts in all recalls until another one replaces it
 * (recall.md 4.9).
 * @throws AppError `not_found` for a memory that the caller may not see
 */
export async function judgeMemory(
  deps: Pick<Daemon, 'store' | 'clock'>,
  caller: Caller,
  { id, judgement, ...named }: NamedAgent & { id: string; judgement: Judgement },
): Promise<{ id: string; judgement: Judgement }> {
  const boundary = await readBoundary(deps, caller, named)
  await deps.store.transaction(async ({ memories, recallLedger }) => {
    const row = await memories.find(id, boundary)
    if (!row || row.is_deleted === 1) throw new AppError('not_found', `memory ${quoted(id)} not found`)
    await recallLedger.judge(id, ratings[judgement])
  })
  return { id, judgement }
}
