import { type Ranked, toScore } from './evidence.js'
import { weights } from './weights.js'

/**
 * Cuts a ranking off: an empty answer is better than noise.
 *
 * @param scoreMin 0..1; keeps the rows with at least this score, 0 keeps all. Without it the default holds: nothing
 *   when no row reaches `cutOff.bestScore`, by its final score or by its own evidence (which the cap on hints does
 *   not touch), otherwise the rows with at least `cutOff.shareOfBest` of the best score.
 */
export function relevant<Row extends Pick<Ranked, 'score' | 'own'>>(
  ranked: readonly Row[],
  scoreMin?: number,
): Row[] {
  if (scoreMin !== undefined) return ranked.filter(({ score }) => score >= scoreMin)
  const hasAnswer = ranked.some(({ score, own }) => Math.max(score, toScore(own)) >= weights.cutOff.bestScore)
  const floor = weights.cutOff.shareOfBest * (ranked[0]?.score ?? 0)
  return hasAnswer ? ranked.filter(({ score }) => score >= floor) : []
}
