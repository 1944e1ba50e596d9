import type { Confidence } from './confidence.js'
import type { RankedRow } from './evidence.js'

/**
 * Cuts a ranking off: an empty answer is better than noise.
 *
 * @param scoreMin 0..1; keeps the rows with at least this score, 0 keeps all. Without it the default holds: nothing
 *   when nothing in the store is about the query, otherwise the rows above the point where evidence ends.
 */
export function relevant<Row extends Pick<RankedRow, 'score' | 'evidence'>>(
  ranked: readonly Row[],
  { answers, least }: Confidence,
  scoreMin?: number,
): Row[] {
  if (scoreMin !== undefined) return ranked.filter(({ score }) => score >= scoreMin)
  return answers ? ranked.filter(({ evidence }) => evidence >= least) : []
}
