import type { RecallBody, RecallRow } from '../../../contract/memory/memory.js'
import { clip } from '../../../lib/clip.js'
import type { BlackBoxEvent } from '../../ground/sessions/black-box.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'

/** Characters of a question that an event keeps. */
const maxQuery = 200
/** Characters of a question in which private spans are looked for. */
const maxRead = 4000

/** What a recall leaves in the black box of its session: what was asked for, and what it was shown (rules.md 4.11). */
export function recallEvents(
  body: RecallBody,
  results: readonly Pick<RecallRow, 'id' | 'source'>[],
  { withheld, epoch }: { withheld: number; epoch: number | undefined },
): BlackBoxEvent[] {
  const ids = results.filter(({ source }) => source !== 'aggregate').map(({ id }) => id)
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
      payload: { count: ids.length, withheld, ...(epoch !== undefined && { contextEpoch: epoch }) },
    },
  ]
}

/** Callers may send filters of any length; the black box stays small. */
function shortened(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text.length <= maxQuery ? value : clip(text, maxQuery)
}
