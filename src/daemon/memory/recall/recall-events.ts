import type { RecallBody, RecallRow } from '../../../contract/memory/memory.js'
import type { GivenThing } from '../../../contract/sessions/black-box.js'
import { clip } from '../../../lib/text/clip.js'
import type { BlackBoxEvent } from '../../ground/sessions/black-box.js'
import { givenOf, leftOutOf } from '../../ground/sessions/given.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import type { Chosen } from './choose-rows.js'
import { artifactType } from './recall-row.js'

/** Characters of a question that an event keeps. */
const maxQuery = 200
/** Characters of a question in which private spans are looked for. */
const maxRead = 4000

/** What a recall leaves in the black box of its session: what was asked for, and what it was shown (rules.md 4.11). */
export function recallEvents(
  body: RecallBody,
  all: readonly RecallRow[],
  { withheld, epoch, leftOut }: Pick<Chosen, 'withheld' | 'leftOut'> & { epoch: number | undefined },
): BlackBoxEvent[] {
  const results = all.filter(({ source }) => source !== 'aggregate')
  const ids = results.map(({ id }) => id)
  const { type, tags, who, pinned, importance_min, since, until, project, scope, sessionId, time } = body
  const filters = { type, tags, who, pinned, importance_min, since, until, project, scope, sessionId, time }
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== null)
  return [
    {
      kind: 'recall.requested',
      title: 'asked for memories',
      detail: clip(withoutPrivate(body.query.slice(0, maxRead)), maxQuery),
      payload: {
        queryLength: body.query.length,
        limit: body.limit,
        filters: Object.fromEntries(given.map(([field, value]) => [field, shortened(value)])),
      },
    },
    {
      kind: 'recall.result',
      title: ids.length === 1 ? '1 memory shown' : `${ids.length} memories shown`,
      refs: ids,
      payload: {
        count: ids.length,
        withheld,
        ...(epoch !== undefined && { contextEpoch: epoch }),
        ...givenOf(results.map(givenRow)),
        ...leftOutOf(leftOut),
      },
    },
  ]
}

/** A card is told by its entity: its own id changes with every value. */
function givenRow({ id, type, source, score, entity }: RecallRow): GivenThing {
  const told = { by: source, score }
  if (entity) return { id: entity.id, kind: 'entity', ...told, values: entity.values.map(value => value.id) }
  return { id, kind: type === artifactType ? 'artifact' : 'memory', ...told }
}

/** Callers may send filters of any length; the black box stays small. */
function shortened(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text.length <= maxQuery ? value : clip(text, maxQuery)
}
