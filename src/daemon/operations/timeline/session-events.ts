import type { TimelineEvent } from '../../../contract/operations/timeline.js'
import type { SessionEvent } from '../../../contract/sessions/black-box.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { readBlackBox } from '../../sessions/black-box/read-black-box.js'
import { ifThere, maxMoments, moments, type ReadEvents } from './subject.js'

/** Its start and end, what its black box holds and when its conversation was taken in. */
export const sessionEvents: ReadEvents = async (deps, { caller, id, named }) => {
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
