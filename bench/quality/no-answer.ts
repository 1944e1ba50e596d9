import type { AskedQuestion } from './ask-set.js'
import { median } from './metrics.js'
import type { QualityQuestion, ScopedQuery } from './quality-set.js'
import type { SystemAnswers } from './systems.js'

/** Results of a set on questions without an answer, as shares 0..1. */
export interface NoAnswerQuality {
  foreign: number
  /** Share of foreign questions that were answered with nothing. */
  foreignNothing: number
  /** `R@10` that the default cut-off costs, 0..1. */
  lost: number
  /** Own questions that were answered with nothing. */
  ownNothing: number
  /** Chance that the best row of an own question has a higher score than that of a foreign one. */
  auc: number
  /** Rows returned for own questions, at most 20 each. */
  rows: { mean: number; median: number }
  unanswerable: number
  unanswerableNothing: number
}

/** The questions of one set with their answers. */
export interface SetAnswers {
  own: readonly AskedQuestion<QualityQuestion>[]
  foreign: readonly AskedQuestion<ScopedQuery>[]
  unanswerable: readonly AskedQuestion<ScopedQuery>[]
}

/** @param systems with the product first and the product without cut-off second */
export function noAnswerQuality(
  { own, foreign, unanswerable }: SetAnswers,
  [product, uncut]: readonly SystemAnswers[],
): NoAnswerQuality {
  const counts = own.map(({ shown }) => shown.length)
  return {
    foreign: foreign.length,
    foreignNothing: nothingShare(foreign),
    lost: mean(uncut!.scores.map((scores, i) => scores['R@10'] - product!.scores[i]!['R@10'])),
    ownNothing: counts.filter(count => count === 0).length,
    auc: areaUnderCurve(own.map(bestScore), foreign.map(bestScore)),
    rows: { mean: mean(counts), median: median(counts) },
    unanswerable: unanswerable.length,
    unanswerableNothing: nothingShare(unanswerable),
  }
}

/** @returns the score of the best row without any cut-off; 0 when nothing was found */
export function bestScore({ answer }: Pick<AskedQuestion<ScopedQuery>, 'answer'>): number {
  return answer.ranked[0]?.score ?? 0
}

/**
 * @returns the chance that a value of `higher` exceeds one of `lower`, with ties counted half; NaN for empty
 * lists
 */
export function areaUnderCurve(higher: readonly number[], lower: readonly number[]): number {
  const sorted = lower.toSorted((a, b) => a - b)
  let wins = 0
  for (const value of higher) {
    const below = countWhere(sorted, other => other < value)
    const upTo = countWhere(sorted, other => other <= value)
    wins += (below + upTo) / 2
  }
  return wins / (higher.length * lower.length)
}

/**
 * Counts the items at the start of a list that meet a condition, by binary search; the rest must not meet it.
 */
function countWhere(sorted: readonly number[], holds: (value: number) => boolean): number {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (holds(sorted[middle]!)) from = middle + 1
    else to = middle
  }
  return from
}

/** @returns the share of questions that were answered with nothing; NaN for no questions */
export const nothingShare = (asked: readonly AskedQuestion<ScopedQuery>[]): number =>
  mean(asked.map(({ shown }) => (shown.length === 0 ? 1 : 0)))

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
