import { type Ranked, toScore } from './evidence.js'

/** A query without any row of this score has no answer in the store. */
export const MIN_BEST_SCORE = 0.3

/**
 * Cuts a ranking off: an empty answer is better than noise.
 *
 * @param scoreMin 0..1; keeps the rows with at least this score. Without it the default asks only whether the
 *   query has an answer at all: nothing when no row reaches `MIN_BEST_SCORE`, by its final score or by its own
 *   evidence (which the cap on hints does not touch), otherwise every row.
 */
export function relevant(ranked: readonly Ranked[], scoreMin?: number): Ranked[] {
  if (scoreMin !== undefined) return ranked.filter(({ score }) => score >= scoreMin)
  return ranked.some(({ score, own }) => Math.max(score, toScore(own)) >= MIN_BEST_SCORE) ? [...ranked] : []
}
