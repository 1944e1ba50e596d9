import type { TimelineEvent } from '../../../contract/operations/timeline.js'
import type { KnowledgeMoment } from '../../../store/tables/operations/timelines.js'
import { readerOf } from '../../knowledge/ontology/model/reader.js'
import { maxMoments, type ReadEvents } from './subject.js'

/** Values and links as they came and went, as far as the reader may read what they rest on. */
export const entityEvents: ReadEvents = async ({ store }, { caller, id, named }) => {
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

function comingAndGoing(
  what: 'value' | 'link',
  { id, recorded_at, expired_at, status }: KnowledgeMoment,
): TimelineEvent[] {
  const came = { at: recorded_at, kind: `${what}.recorded`, title: `${what} recorded`, detail: id }
  if (expired_at === null) return [came]
  return [came, { at: expired_at, kind: `${what}.${status}`, title: `${what} ${status}`, detail: id }]
}
