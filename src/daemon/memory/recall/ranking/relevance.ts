import { type Ranked, toScore } from './evidence.js'

/** A query without any row of this score has no answer in the store. */
const minBestScore = 0.3
/** Rows that score less than this share of the best one are left out. */
const keptShare = 0.3

/**
 * Cuts a ranking off: an empty answer is better than noise.
 *
 * @param scoreMin 0..1; keeps the rows with at least this score, 0 keeps all. Without it the default holds: nothing
 *   when no row reaches `minBestScore`, by its final score or by its own evidence (which the cap on hints does
 *   not touch), otherwise the rows with at least `keptShare` of the best score.
 */
export function relevant<Row extends Pick<Ranked, 'score' | 'own'>>(
  ranked: readonly Row[],
  scoreMin?: number,
): Row[] {
  if (scoreMin !== undefined) return ranked.filter(({ score }) => score >= scoreMin)
  const hasAnswer = ranked.some(({ score, own }) => Math.max(score, toScore(own)) >= minBestScore)
  const floor = keptShare * (ranked[0]?.score ?? 0)
  return hasAnswer ? ranked.filter(({ score }) => score >= floor) : []
}
