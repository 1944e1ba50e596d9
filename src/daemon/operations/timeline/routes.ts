import { AppError, notFound } from '../../../contract/ground/errors.js'
import type { TimelineEvent, TimelineQuery } from '../../../contract/operations/timeline.js'
import * as contract from '../../../contract/operations/timeline.js'
import type { SessionEvent } from '../../../contract/sessions/black-box.js'
import { quoted } from '../../../lib/text/clip.js'
import { countOf } from '../../../lib/text/count-of.js'
import type { KnowledgeMoment } from '../../../store/tables/operations/timelines.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, readBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { readerOf } from '../../knowledge/ontology/model/reader.js'
import { findSourceRow, mayReachSources } from '../../knowledge/sources/core/find-source.js'
import { memoryHistory } from '../../memory/records/read.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { readBlackBox } from '../../sessions/black-box/read-black-box.js'

/** The memory's history, the facts drawn from it, and its last recall. */
const memoryEvents: ReadEvents = async (deps, { caller, id, named }) => {
  const boundary = await readBoundary(deps, caller, named)
  const found = await orUndefined(() => memoryHistory(deps, boundary, id, { limit: maxMoments, offset: 0 }))
  if (!found) return undefined
  const { memories, accesses, timelines } = deps.store.tables
  const stored = await memories.find(id, boundary)
  const [row] = await accesses.counted(stored ? [stored] : [])
  const changes = found.history.map(
    ({ createdAt, event, changedBy, actorType, reason, sessionId }): TimelineEvent => ({
      at: createdAt,
      kind: `memory.${event}`,
      title: event === 'none' ? 'unchanged' : event,
      detail: [`by ${changedBy} (${actorType})`, reason, sessionId && `in session ${sessionId}`]
        .filter(Boolean)
        .join('; '),
    }),
  )
  const agentId = agentOf(caller, named) ?? defaultAgent
  const drawn = await timelines.operationsOn(agentId, id, maxMoments)
  return [
    ...changes,
    ...drawn.map(({ at, operation, status, actor, id: operationId }) => ({
      at,
      kind: 'knowledge.operation',
      title: `${operation} ${status}`,
      detail: `uses it as evidence; by ${actor}; operation ${operationId}`,
    })),
    ...moments([
      [
        row?.superseded_at,
        'memory.superseded',
        'superseded',
        `by ${row?.superseded_by ?? 'a deleted memory'}`,
      ],
      [
        row?.last_accessed,
        'memory.recalled',
        'last recalled',
        `${countOf(row?.access_count ?? 0, 'time')} in total`,
      ],
    ]),
  ]
}

/** The session's start and end, its black box, and when its conversation was captured. */
const sessionEvents: ReadEvents = async (deps, { caller, id, named }) => {
  const found = await orUndefined(() => readBlackBox(deps, caller, id, named))
  if (!found) return undefined
  const session = { agentId: found.agentId, sessionKey: sessionKeyOf(id) }
  const { sessions, timelines } = deps.store.tables
  const row = await sessions.find(session)
  const captures = await timelines.captures(session, maxMoments)
  return [
    ...moments([[row?.started_at, 'session.started', 'started', `by ${row?.harness}`]]),
    ...found.events.map(toEvent),
    ...captures.map(({ at, completed_at, status, source, id: captureId }) => ({
      at: completed_at ?? at,
      kind: 'session.captured',
      title: `conversation ${status}`,
      detail: `from ${source}; capture ${captureId}`,
    })),
    ...moments([[row?.ended_at, 'session.ended', 'ended', row?.end_reason ?? '']]),
  ]
}

/** When the document was added, and how its processing ended. */
const documentEvents: ReadEvents = async (deps, { caller, id, named }) => {
  const row = await deps.store.tables.documents.find(id, await readBoundary(deps, caller, named))
  if (!row) return undefined
  return moments([
    [row.created_at, 'document.created', 'added', `by ${row.created_by}; ${row.source_type}`],
    [row.completed_at, 'document.done', 'read', countOf(row.chunk_count, 'chunk')],
    [row.status === 'done' ? null : row.updated_at, `document.${row.status}`, row.status, ''],
  ])
}

/** When the source was added, indexed, first recalled and removed, and the state of its indexing. */
const sourceEvents: ReadEvents = async (deps, { caller, id, named }) => {
  if (!mayReachSources(caller)) return undefined
  const row = await orUndefined(() => findSourceRow(deps, caller, { id, named }))
  if (!row) return undefined
  const job = await deps.store.tables.sourceJobs.of(row.id)
  const read = job ? `pass ${row.pass}; ${job.scanned} checked, ${job.indexed} indexed` : ''
  return moments([
    [row.created_at, 'source.created', 'added', `by ${row.created_by}; ${row.kind}`],
    [
      job?.queued_at,
      'source.queued',
      'indexing requested',
      `${countOf(job?.requests ?? 0, 'time')} in total`,
    ],
    [job?.started_at, 'source.started', 'indexing started', `pass ${row.pass}`],
    [job?.ended_at, `source.${job?.status}`, `indexing ${job?.status}`, read],
    [row.last_indexed_at, 'source.indexed', 'indexed completely', countOf(row.artifacts, 'artifact')],
    [row.recalled_at, 'source.recalled', 'first recalled', ''],
    [row.removed_at, 'source.removed', 'removed', `${countOf(row.purged, 'artifact')} deleted since`],
  ])
}

/** Facts and links of the entity as they changed, where the reader may read their evidence. */
const entityEvents: ReadEvents = async ({ store }, { caller, id, named }) => {
  const { entities, timelines } = store.tables
  const { agentId, boundary } = readerOf(caller, named)
  const row = await entities.find(agentId, id)
  const [entity] = row ? await entities.told([row.id], boundary) : []
  if (!entity) return undefined
  const values = await timelines.values(entity.id, boundary, maxMoments)
  const links = await timelines.links(entity.id, boundary, maxMoments)
  return [
    { at: entity.created_at, kind: 'entity.created', title: 'created', detail: entity.entity_type },
    ...values.flatMap(moment => startAndEnd('value', moment)),
    ...links.flatMap(moment => startAndEnd('link', moment)),
  ]
}

/** Ids are unique across kinds, but a session's key is arbitrary: sessions come last. */
const readers: readonly ReadEvents[] = [
  memoryEvents,
  documentEvents,
  sourceEvents,
  entityEvents,
  sessionEvents,
]

/** Id to look up, and who asks. */
interface TimelineSubject {
  caller: Caller
  id: string
  named: TimelineQuery
}

type TimelineDeps = Pick<Daemon, 'store' | 'blackBoxes' | 'clock'>

/** @returns undefined when this kind has no such id, or the caller may not know of it */
type ReadEvents = (deps: TimelineDeps, subject: TimelineSubject) => Promise<TimelineEvent[] | undefined>

/** Limit of events per part of a timeline. */
const maxMoments = 1000

export const routes = [
  route(contract.timeline, async (daemon, { caller, params: { id }, query }) => ({
    id,
    events: await readTimeline(daemon, { caller, id, named: query }),
  })),
  route(contract.exportTimeline, async (daemon, { caller, params: { id }, query }) => ({
    meta: { version: 1 as const, exportedAt: daemon.clock().toISOString(), id },
    timeline: await readTimeline(daemon, { caller, id, named: query }),
  })),
]

/** The history of one thing, oldest first (timeline.md). @throws AppError `not_found`, `scope_violation` */
async function readTimeline(deps: TimelineDeps, subject: TimelineSubject): Promise<TimelineEvent[]> {
  for (const read of readers) {
    const events = await read(deps, subject)
    // Events at the same time stay in the order of the reader.
    if (events) return events.sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1))
  }
  throw notFound(
    `no memory, document, source, entity or session ${quoted(subject.id)} found that you may see`,
    'memory list, documents list, sources list, ontology entities and sessions blackbox show ids',
  )
}

function startAndEnd(
  what: 'value' | 'link',
  { id, recorded_at, expired_at, status }: KnowledgeMoment,
): TimelineEvent[] {
  const came = { at: recorded_at, kind: `${what}.recorded`, title: `${what} recorded`, detail: id }
  if (expired_at === null) return [came]
  return [came, { at: expired_at, kind: `${what}.${status}`, title: `${what} ${status}`, detail: id }]
}

/** A question's text stays in the black box and is not repeated here. */
function toEvent({ at, kind, title, detail, refs, payload }: SessionEvent): TimelineEvent {
  const { given = [] } = payload
  const ids =
    given.length > 0 ? given.map(({ id, kind, by }) => `${kind} ${id} (${by})`).join(', ') : refs.join(', ')
  return {
    at,
    kind,
    title,
    detail: kind === 'recall.requested' ? ids : [detail, ids].filter(Boolean).join('; '),
  }
}

type Moment = readonly [at: string | null | undefined, kind: string, title: string, detail: string]

/** Events with a time; entries without one have not happened. */
function moments(all: readonly Moment[]): TimelineEvent[] {
  return all.flatMap(([at, kind, title, detail]) => (at ? [{ at, kind, title, detail }] : []))
}

/** @returns undefined instead of throwing `not_found` */
async function orUndefined<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined
    throw error
  }
}
