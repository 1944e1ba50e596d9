import { notFound } from '../../../contract/ground/errors.js'
import type {
  BlackBoxList,
  BlackBoxQuery,
  BlackBoxReply,
  Frame,
  SessionEvent,
} from '../../../contract/sessions/black-box.js'
import { clip, quoted } from '../../../lib/text/clip.js'
import { isWithinProject, type ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { MemoryState } from '../../../store/tables/memory/memory-overview.js'
import type { SessionEventRow } from '../../../store/tables/sessions/session-events.js'
import type { SessionName } from '../../../store/tables/sessions/sessions.js'
import { blackBoxOf } from '../../ground/sessions/black-box.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, assertInScope, ownBoundary, readBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store' | 'blackBoxes' | 'clock'>
type Query = Omit<BlackBoxQuery, 'limit'>

const maxInfluences = 10
/** Factor by which each later list reduces an earlier showing. */
const fading = 0.9

/** How a memory was shown to the session. */
interface Showing {
  score: number
  rank: number
  times: number
  lastAt: string
  /** Position of the last showing in the log. */
  last: number
}

const maxPreview = 160

/** With more events, only the newest memories are named. */
const maxMemories = 300

const maxEntities = 50

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

type FrameDeps = Pick<Daemon, 'store' | 'clock'>

/**
 * Describes the current context of a session: the rows shown in this epoch and the summary that began it.
 * Memories that the reader may not see are left out (rules.md 4.11).
 */
async function frameOf(
  deps: FrameDeps,
  session: SessionName,
  boundary: ReadBoundary,
  events: readonly SessionEvent[],
): Promise<Frame> {
  const { recallLedger, memories } = deps.store.tables
  const now = deps.clock().toISOString()
  const shown = await recallLedger.recalledIn(session)
  const inContext = new Set(shown.filter(({ current }) => current).map(({ id }) => id))
  const showings = showingsOf(events, inContext)
  for (const ref of summaryRefs(events, await recallLedger.epochOf(session))) inContext.add(ref)
  const states = new Map((await memories.statesOf([...inContext], boundary)).map(state => [state.id, state]))
  const lastOf = (id: string): number => showings.get(id)?.last ?? -1
  const activeRefs = [...inContext]
    .filter(id => states.has(id))
    .sort((a, b) => lastOf(b) - lastOf(a) || (a < b ? -1 : 1))
  return {
    at: now,
    activeRefCount: activeRefs.length,
    activeRefs,
    likelyInfluences: influences(showings, states),
    warnings: activeRefs.flatMap(id => warningOf(states.get(id) as MemoryState, now)),
  }
}

/** The summary of the last compaction is in the context until another epoch begins without one. */
function summaryRefs(events: readonly SessionEvent[], epoch: number | undefined): readonly string[] {
  const last = events.findLast(isCompaction)
  return last?.payload.contextEpoch === epoch ? (last?.refs ?? []) : []
}

function isCompaction({ kind, payload }: SessionEvent): boolean {
  return kind === 'artifact.written' && payload.artifact === 'compaction'
}

/** Only lists of memories count; entities in a prompt are not memories. */
function isList({ kind, refs }: SessionEvent): boolean {
  return kind === 'recall.result' || (kind === 'context.recalled' && refs.length > 0)
}

/**
 * Scores memories shown early in a list, often and recently: each showing adds 1 / rank, reduced by every
 * later list.
 */
function showingsOf(events: readonly SessionEvent[], inContext: ReadonlySet<string>): Map<string, Showing> {
  const since = events.findLastIndex(isCompaction) + 1
  const lists = events
    .map((event, place) => ({ event, place }))
    .slice(since)
    .filter(({ event }) => isList(event))
  const showings = new Map<string, Showing>()
  for (const [order, { event, place }] of lists.entries())
    for (const [index, id] of event.refs.entries()) {
      if (!inContext.has(id)) continue
      const before = showings.get(id)
      const weight = fading ** (lists.length - 1 - order) / (index + 1)
      showings.set(id, {
        score: (before?.score ?? 0) + weight,
        rank: Math.min(before?.rank ?? index + 1, index + 1),
        times: (before?.times ?? 0) + 1,
        lastAt: event.at,
        last: place,
      })
    }
  return showings
}

function influences(
  showings: ReadonlyMap<string, Showing>,
  states: ReadonlyMap<string, MemoryState>,
): Frame['likelyInfluences'] {
  return [...showings]
    .flatMap(([id, { score, rank, times, lastAt }]) => {
      const state = states.get(id)
      if (!state) return []
      return [
        {
          id,
          score: Number(score.toFixed(3)),
          rank,
          times,
          lastAt,
          type: state.type,
          preview: previewOf(state),
        },
      ]
    })
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, maxInfluences)
}

function warningOf(
  { id, is_deleted, safety_status, superseded_by, valid_until }: MemoryState,
  now: string,
): Frame['warnings'] {
  const warning = (code: Frame['warnings'][number]['code'], message: string) => [{ ref: id, code, message }]
  if (is_deleted === 1) return warning('forgotten', 'was forgotten after it was shown')
  if (safety_status !== 'clean')
    return warning('unsafe', `is ${safety_status} by the content safety policy; recall no longer shows it`)
  if (superseded_by !== null) return warning('superseded', 'was replaced by a newer memory')
  if (valid_until !== null && valid_until <= now) return warning('expired', `was valid until ${valid_until}`)
  return []
}

/** The beginning of a memory; empty for one that may no longer be shown. */
function previewOf({ is_deleted, safety_status, content }: MemoryState): string {
  return is_deleted === 0 && safety_status === 'clean' ? clip(content, maxPreview) : ''
}

interface Boundaries {
  /** Boundary for memories. */
  memories: ReadBoundary
  /** Boundary for entities (knowledge.md#who-reads-what). */
  entities: ReadBoundary
}

/**
 * Names of ids in events, as far as the reader may see them now: beginnings of memories, names of entities.
 */
async function namesIn(
  { store }: Pick<Daemon, 'store'>,
  boundaries: Boundaries,
  events: readonly SessionEvent[],
): Promise<Record<string, string>> {
  const { memories, entities } = store.tables
  const newest = [...events].reverse()
  const things = newest.flatMap(({ payload }) => payload.given ?? [])
  const entityIds = things.filter(({ kind }) => kind === 'entity').map(({ id }) => id)
  const memoryIds = newest.flatMap(({ refs }) => refs)
  const states = await memories.statesOf(firstOf(memoryIds, maxMemories), boundaries.memories)
  const told = await entities.told(firstOf(entityIds, maxEntities), boundaries.entities)
  return Object.fromEntries([
    ...states.map(state => [state.id, previewOf(state)] as const).filter(([, preview]) => preview !== ''),
    ...told.map(({ id, name }) => [id, name] as const),
  ])
}

function firstOf(ids: readonly string[], most: number): string[] {
  return [...new Set(ids)].slice(0, most)
}
