import type { Contribution, Ranked } from './evidence.js'
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
 * @returns every channel and step that touched the row and what it gave; the additions summed, times the factors,
 *   are `evidence`, and `formula` makes `score` of it
 */
export function explain({ score, evidence, contributions }: Ranked): Explanation {
  const formula = `score = 1 - ${weights.scoreBase}^-(sum of add * product of multiply)`
  return { score, evidence, contributions, formula }
}
