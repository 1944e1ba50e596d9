import type { ContentContext } from './step.js'
import { weights } from './weights.js'

const ASKS_FOR_TIME =
  /^\W*(?:(?:and|so|but|since|until|by|from) )?(?:when|how (?:long|often|soon)|(?:what|which) (?:\w+ )?(?:date|day|week|month|year|time))\b/i
const TELLS_TIME = new RegExp(
  [
    '\\b(?:yesterday|today|tonight|tomorrow|ago|since|last|next|recently|daily|nightly|weekly|monthly|yearly|quarterly)\\b',
    '\\b(?:minute|hour|day|night|week|weekend|month|quarter|year)s?\\b',
    '\\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\\b',
    '\\b(?:january|february|march|april|june|july|august|september|october|november|december)\\b',
    '\\b(?:19|20)\\d\\d\\b',
    '\\b\\d{1,2}(?::\\d\\d| ?[ap]m)\\b',
  ].join('|'),
  'i',
)

export const asksForTime = (query: string): boolean => ASKS_FOR_TIME.test(query)

/**
 * Time evidence: a question for a time is answered by a row that tells one. Needs content, so it runs after
 * authorisation (recall.md 1.3.6).
 *
 * @returns factors by memory id
 */
export function timeEvidence({
  query,
  contents,
}: Pick<ContentContext, 'query' | 'contents'>): Map<string, number> {
  const factors = new Map<string, number>()
  if (!asksForTime(query)) return factors
  for (const [id, content] of contents) if (TELLS_TIME.test(content)) factors.set(id, weights.timeWords)
  return factors
}
