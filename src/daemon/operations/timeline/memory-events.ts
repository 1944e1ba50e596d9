import type { TimelineEvent } from '../../../contract/operations/timeline.js'
import { countOf } from '../../../lib/text/count-of.js'
import { agentOf, readBoundary } from '../../ground/visibility/boundary.js'
import { defaultAgent } from '../../ground/visibility/caller.js'
import { memoryHistory } from '../../memory/records/read.js'
import { ifThere, maxMoments, moments, type ReadEvents } from './subject.js'

/** Its history, what was drawn from it, and when it was recalled last. */
export const memoryEvents: ReadEvents = async (deps, { caller, id, named }) => {
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
