import { dayMs } from '../../../../lib/time.js'
import type { RankContext } from './evidence.js'
import { mentionedDate, relativeSpan, spanOf, type TimeSpan } from './query-dates.js'
import { weights } from './weights.js'

/**
 * Date evidence: rows created at the time that the query names, or close to it.
 *
 * @returns factors by memory id
 */
export function dateEvidence({
  query,
  facts,
  own,
  now,
}: Pick<RankContext, 'query' | 'facts' | 'own' | 'now'>): Map<string, number> {
  const factors = new Map<string, number>()
  const mention = mentionedDate(query)
  const relative = mention ? undefined : relativeSpan(query, now)
  if (!mention && !relative) return factors
  for (const id of own.keys()) {
    const createdAt = facts(id)?.createdAt
    if (createdAt === undefined) continue
    const span = mention ? spanOf(mention, new Date(createdAt).getUTCFullYear()) : relative!
    const closeness = closenessTo(span, createdAt)
    if (closeness > 0) factors.set(id, 1 + weights.date.gain * closeness)
  }
  return factors
}

function closenessTo({ from, to }: TimeSpan, time: number): number {
  if (time >= from && time < to) return 1
  const nearMs = weights.date.nearDays * dayMs
  return time >= from - nearMs && time < to + nearMs ? weights.date.nearShare : 0
}
