import { AppError } from '../../../contract/ground/errors.js'
import type { TimelineEvent, TimelineQuery } from '../../../contract/operations/timeline.js'
import type { SessionEvent } from '../../../contract/sessions/black-box.js'
import { quoted } from '../../../lib/text/clip.js'
import { countOf } from '../../../lib/text/count-of.js'
import type { KnowledgeMoment } from '../../../store/tables/operations/timelines.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, readBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { readerOf } from '../../knowledge/ontology/model/reader.js'
import { findSourceRow, reachesSources } from '../../knowledge/sources/core/find-source.js'
import { memoryHistory } from '../../memory/records/read.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { readBlackBox } from '../../sessions/black-box/read-black-box.js'

/** Its history, what was drawn from it, and when it was recalled last. */
const memoryEvents: ReadEvents = async (deps, { caller, id, named }) => {
  const boundary = await readBoundary(deps, caller, named)
  const found = await ifThere(() => memoryHistory(deps, boundary, id, { limit: maxMoments, offset: 0 }))
  if (!found) return undefined
  const { memories, accesses, timelines } = deps.store.tables
  const stored = await memories.find(id, boundary)
  const [row] = await accesses.counted(stored ? [stored] : [])
  const changes = found.history.map(
    ({ createdAt, event, changedBy, actorType, reason, sessionId }): TimelineEvent => ({
      at: createdAt,
      kind: `memory.${event}`,
      title: event === 'none' ? 'left as it was' : event,
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
      detail: `rests on it; by ${actor}; operation ${operationId}`,
    })),
    ...moments([
      [
        row?.superseded_at,
        'memory.superseded',
        'superseded',
        `by ${row?.superseded_by ?? 'a memory that is gone'}`,
      ],
      [
        row?.last_accessed,
        'memory.recalled',
        'recalled last',
        `${countOf(row?.access_count ?? 0, 'time')} in all`,
      ],
    ]),
  ]
}

/** Its start and end, what its black box holds and when its conversation was taken in. */
const sessionEvents: ReadEvents = async (deps, { caller, id, named }) => {
  const found = await ifThere(() => readBlackBox(deps, caller, id, named))
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

/** When it was handed over, and how its reading ended. */
const documentEvents: ReadEvents = async (deps, { caller, id, named }) => {
  const row = await deps.store.tables.documents.find(id, await readBoundary(deps, caller, named))
  if (!row) return undefined
  return moments([
    [row.created_at, 'document.created', 'handed over', `by ${row.created_by}; ${row.source_type}`],
    [row.completed_at, 'document.done', 'read', countOf(row.chunk_count, 'chunk')],
    [row.status === 'done' ? null : row.updated_at, `document.${row.status}`, row.status, ''],
  ])
}

/** When it was added, read, found for the first time and removed, and where its reading stands. */
const sourceEvents: ReadEvents = async (deps, { caller, id, named }) => {
  if (!reachesSources(caller)) return undefined
  const row = await ifThere(() => findSourceRow(deps, caller, { id, named }))
  if (!row) return undefined
  const job = await deps.store.tables.sourceJobs.of(row.id)
  const read = job ? `pass ${row.pass}; ${job.scanned} looked at, ${job.indexed} read` : ''
  return moments([
    [row.created_at, 'source.created', 'added', `by ${row.created_by}; ${row.kind}`],
    [job?.queued_at, 'source.queued', 'reading asked for', `${countOf(job?.requests ?? 0, 'time')} in all`],
    [job?.started_at, 'source.started', 'reading began', `pass ${row.pass}`],
    [job?.ended_at, `source.${job?.status}`, `reading ${job?.status}`, read],
    [row.last_indexed_at, 'source.indexed', 'read to its end', countOf(row.artifacts, 'artifact')],
    [row.recalled_at, 'source.recalled', 'found for the first time', ''],
    [row.removed_at, 'source.removed', 'removed', `${countOf(row.purged, 'artifact')} gone since`],
  ])
}

/** Values and links as they came and went, as far as the reader may read what they rest on. */
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
    ...values.flatMap(moment => comingAndGoing('value', moment)),
    ...links.flatMap(moment => comingAndGoing('link', moment)),
  ]
}

/** Ids are no two kinds' at once, but a session's key is whatever its harness says: it comes last. */
const readers: readonly ReadEvents[] = [
  memoryEvents,
  documentEvents,
  sourceEvents,
  entityEvents,
  sessionEvents,
]

/** What happened to something, oldest first (timeline.md). @throws AppError `not_found`, `scope_violation` */
export async function readTimeline(deps: TimelineDeps, subject: TimelineSubject): Promise<TimelineEvent[]> {
  for (const read of readers) {
    const events = await read(deps, subject)
    // Where two are of one moment, what is told first stays first.
    if (events) return events.sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1))
  }
  throw new AppError(
    'not_found',
    `there is no memory, document, source, entity or session ${quoted(subject.id)} that you may see; memory list, documents list, sources list, ontology entities and sessions blackbox show ids`,
  )
}

function comingAndGoing(
  what: 'value' | 'link',
  { id, recorded_at, expired_at, status }: KnowledgeMoment,
): TimelineEvent[] {
  const came = { at: recorded_at, kind: `${what}.recorded`, title: `${what} recorded`, detail: id }
  if (expired_at === null) return [came]
  return [came, { at: expired_at, kind: `${what}.${status}`, title: `${what} ${status}`, detail: id }]
}

/** A question stays in the black box: its words are not told here. */
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

/** What a timeline is asked of. */
interface TimelineSubject {
  caller: Caller
  id: string
  named: TimelineQuery
}

type TimelineDeps = Pick<Daemon, 'store' | 'blackBoxes' | 'clock'>

/** @returns undefined when there is none of its kind with that id, or the caller may not know of it. */
type ReadEvents = (deps: TimelineDeps, subject: TimelineSubject) => Promise<TimelineEvent[] | undefined>

/** Moments of one part of a timeline. */
const maxMoments = 1000

type Moment = readonly [at: string | null | undefined, kind: string, title: string, detail: string]

/** Events of what has come to pass: those without a time have not. */
function moments(all: readonly Moment[]): TimelineEvent[] {
  return all.flatMap(([at, kind, title, detail]) => (at ? [{ at, kind, title, detail }] : []))
}

/** What is found; undefined where it is not there. */
async function ifThere<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined
    throw error
  }
}
