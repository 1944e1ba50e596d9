import { dayMs } from '../../../../lib/time/time.js'
import { type EvidenceTable, noValues } from './evidence-table.js'
import { mentionedDate, relativeSpan, spanOf, type TimeSpan } from './query-dates.js'
import type { RankContext } from './step.js'
import { weights } from './weights.js'

/**
 * Date evidence: rows created at the time that the query names, or close to it.
 *
 * @returns factors by place
 */
export function dateEvidence(
  { query, rows, now }: Pick<RankContext, 'query' | 'rows' | 'now'>,
  table: EvidenceTable,
): Float64Array | undefined {
  const mention = mentionedDate(query)
  const relative = mention ? undefined : relativeSpan(query, now)
  if (!mention && !relative) return undefined
  const factors = noValues(rows)
  for (let place = 0; place < rows.count; place++) {
    const createdAt = table.isCandidate(place) ? rows.createdAt(place) : undefined
    if (createdAt === undefined) continue
    const span = mention ? spanOf(mention, new Date(createdAt).getUTCFullYear()) : relative!
    const closeness = closenessTo(span, createdAt)
    if (closeness > 0) factors[place] = 1 + weights.date.gain * closeness
  }
  return factors
}

function closenessTo({ from, to }: TimeSpan, time: number): number {
  if (time >= from && time < to) return 1
  const nearMs = weights.date.nearDays * dayMs
  return time >= from - nearMs && time < to + nearMs ? weights.date.nearShare : 0
}
