import { type Ranked, toScore } from './evidence.js'

/** A query without any row of this score has no answer in the store. */
export const MIN_BEST_SCORE = 0.3
/** Rows that score less than this share of the best one are left out. */
export const KEPT_SHARE = 0.3

/**
 * Cuts a ranking off: an empty answer is better than noise.
 *
 * @param scoreMin 0..1; keeps the rows with at least this score, 0 keeps all. Without it the default holds: nothing
 *   when no row reaches `MIN_BEST_SCORE`, by its final score or by its own evidence (which the cap on hints does
 *   not touch), otherwise the rows with at least `KEPT_SHARE` of the best score.
 */
export function relevant<Row extends Pick<Ranked, 'score' | 'own'>>(
  ranked: readonly Row[],
  scoreMin?: number,
): Row[] {
  if (scoreMin !== undefined) return ranked.filter(({ score }) => score >= scoreMin)
  const hasAnswer = ranked.some(({ score, own }) => Math.max(score, toScore(own)) >= MIN_BEST_SCORE)
  const floor = KEPT_SHARE * (ranked[0]?.score ?? 0)
  return hasAnswer ? ranked.filter(({ score }) => score >= floor) : []
}
