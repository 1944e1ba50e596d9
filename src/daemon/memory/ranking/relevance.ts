import type { Ranked } from './evidence.js'

/** A query whose best row stays below this has no answer in the store. */
export const MIN_BEST_SCORE = 0.25

/**
 * Cuts a ranking off (spec 1, 1.3.9: noise is worse than an empty answer).
 *
 * @param scoreMin 0..1; keeps the rows with at least this score. Without it the default asks only whether the
 *   query has an answer at all: nothing when the best score is under `MIN_BEST_SCORE`, otherwise every row.
 */
export function relevant(ranked: readonly Ranked[], scoreMin?: number): Ranked[] {
  if (scoreMin !== undefined) return ranked.filter(({ score }) => score >= scoreMin)
  return (ranked[0]?.score ?? 0) >= MIN_BEST_SCORE ? [...ranked] : []
}
