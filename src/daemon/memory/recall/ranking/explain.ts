import type { Confidence } from './confidence.js'
import type { Contribution, RankedRow } from './evidence.js'
import { weights } from './weights.js'

/** Why a row scored what it did, as plain data for `explain: true`. */
export interface Explanation {
  score: number
  evidence: number
  /** In the order they were applied: additions of the channels and steps, and the factors on their sum. */
  contributions: readonly Contribution[]
  formula: string
}

/**
 * @param confidence in the best row of the ranking
 * @returns every channel and step that touched the row and what it gave; the additions summed, times the factors,
 *   are `evidence`, and `formula` makes `score` of it
 */
export function explain(
  { score, evidence, contributions }: RankedRow,
  { value, best }: Confidence,
): Explanation {
  const formula =
    `evidence = sum of add * product of multiply; score = confidence ${value.toFixed(4)} of the best row * ` +
    `(evidence / ${best.toFixed(4)} of the best row)^${weights.confidence.decay}`
  return { score, evidence, contributions, formula }
}
