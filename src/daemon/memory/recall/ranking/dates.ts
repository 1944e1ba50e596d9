import { dayMs } from '../../../../lib/time.js'
import type { RankContext } from './evidence.js'
import { mentionedDate, relativeSpan, spanOf, type TimeSpan } from './query-dates.js'

/** A row from the very time that is named counts double. */
const DATE_WEIGHT = 1
/** People write about a day some days later; a row this close counts half. */
const SLACK_MS = 7 * dayMs

/**
 * Date evidence: rows created at the time that the query names, or within a week of it.
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
    if (closeness > 0) factors.set(id, 1 + DATE_WEIGHT * closeness)
  }
  return factors
}

function closenessTo({ from, to }: TimeSpan, time: number): number {
  if (time >= from && time < to) return 1
  return time >= from - SLACK_MS && time < to + SLACK_MS ? 0.5 : 0
}
