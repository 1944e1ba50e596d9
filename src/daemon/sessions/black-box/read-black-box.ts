import { notFound } from '../../../contract/ground/errors.js'
import type {
  BlackBoxList,
  BlackBoxQuery,
  BlackBoxReply,
  SessionEvent,
} from '../../../contract/sessions/black-box.js'
import { quoted } from '../../../lib/text/clip.js'
import { isWithinProject } from '../../../store/tables/memory/memory-filter.js'
import type { SessionEventRow } from '../../../store/tables/sessions/session-events.js'
import { blackBoxOf } from '../../ground/sessions/black-box.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, ownBoundary, readBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { assertInScope } from '../../ground/visibility/scope.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { frameOf, namesIn } from './frame.js'

type Deps = Pick<Daemon, 'store' | 'blackBoxes' | 'clock'>
type Query = Omit<BlackBoxQuery, 'limit'>

/** Lists black boxes of the caller's agent (rules.md 4.11). */
export async function listBlackBoxes(
  { store, blackBoxes }: Deps,
  caller: Caller,
  query: BlackBoxQuery,
): Promise<BlackBoxList> {
  const { agentId, project, isVisible } = requestScope(caller, query)
  await blackBoxes.flush()
  const logs = isVisible ? await store.tables.sessionEvents.logs(agentId, project, query.limit) : []
  const sessions = logs.map(log => ({
    sessionKey: log.session_key,
    agentId: log.agent_id,
    project: log.project,
    lastAt: log.last_at,
    recallEvents: log.recall_events,
    artifactEvents: log.artifact_events,
  }))
  return { agentId, sessions, count: sessions.length }
}

/**
 * Returns the events of a session and its current context (rules.md 4.11).
 * @throws AppError `not_found` for a session unknown to the caller's agent, or of another project.
 */
export async function readBlackBox(
  deps: Deps,
  caller: Caller,
  key: string,
  query: Query,
): Promise<BlackBoxReply> {
  const { agentId, project, isVisible } = requestScope(caller, query)
  const session = { agentId, sessionKey: sessionKeyOf(key) }
  const { sessions, sessionEvents } = deps.store.tables
  const rows = await blackBoxOf(deps, session)
  const known = (await sessionEvents.log(session)) ?? (await sessions.find(session))
  const within = { project, projectKeys: caller.access.scope.projectKeys }
  if (!isVisible || !known || !isWithinProject(known.project, within))
    throw notFound(
      `session ${quoted(key)} not found`,
      'list sessions with memory sessions blackbox (GET /api/sessions/blackbox)',
    )
  const events = rows.map(toEvent)
  const boundary = await readBoundary(deps, caller, query)
  return {
    ...session,
    generatedAt: deps.clock().toISOString(),
    eventCount: events.length,
    events,
    names: await namesIn(deps, { memories: boundary, entities: ownBoundary(caller, agentId, query) }, events),
    frame: await frameOf(deps, session, boundary, events),
  }
}

/**
 * Returns the sessions a request covers; as with conversations, a credential limited to a user sees none.
 * @throws AppError `scope_violation` when the request names an agent or project outside its credential.
 */
export function requestScope(
  caller: Caller,
  query: Query,
): { agentId: string; project: string | undefined; isVisible: boolean } {
  const { scope } = caller.access
  assertInScope(scope, 'project', query.project)
  return {
    agentId: agentOf(caller, query) ?? defaultAgent,
    project: query.project ?? scope.project,
    isVisible: scope.user === undefined,
  }
}

function toEvent({ id, kind, at, title, detail, refs, payload }: SessionEventRow): SessionEvent {
  return {
    id,
    kind: kind as SessionEvent['kind'],
    at,
    title,
    detail,
    refs: JSON.parse(refs) as string[],
    payload: JSON.parse(payload) as SessionEvent['payload'],
  }
}
