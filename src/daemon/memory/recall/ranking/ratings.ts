import { weights } from './weights.js'

/**
 * What a session said of rows that it was shown before (recall.md 4.9): harmful halves, helpful adds half.
 *
 * @param ratings -1 to 1 by memory id
 * @returns factors by memory id, 0.5 to 1.5
 */
export function ratingFactors(ratings: ReadonlyMap<string, number>): Map<string, number> {
  const factors = new Map<string, number>()
  for (const [id, rating] of ratings) if (rating !== 0) factors.set(id, 1 + weights.feedback * rating)
  return factors
}
