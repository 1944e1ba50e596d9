import type { ContentContext, Contribution, Ranked, RankedRow } from './evidence.js'
import { weights } from './weights.js'

/** What the best rows of a ranking say about it as a whole. */
export interface Confidence {
  /** Chance that the best row answers the query, 0..1 to four places. */
  value: number
  /** False when it is unlikely that anything in the store is about the query. */
  answers: boolean
  /** Evidence of the best row, and that below which a row is not shown by default. */
  best: number
  least: number
}

/** What the models look at: signs of whether the best rows answer, never below the least that `weights` tells apart. */
export interface Signs {
  /** Evidence of the best row, and the highest that any row has by its channels or in all. */
  best: number
  strongest: number
  /** Share of the query that one of the first rows covers, 0..1. */
  covered: number
  /** Distinct terms of the best row. */
  terms: number
  /** Evidence of the second row, and that which chance gives, as shares of the best. */
  second: number
  noise: number
  /** Share of the query's words that no row holds, and the terms of all rows that were searched: see `ChannelCeilings`. */
  unknown: number
  volume: number
}

/** The features of each logistic model; its coefficients stand under the same names in `weights.confidence`. */
export const confidenceModels = {
  answered: {
    evidence: ({ strongest }: Signs) => Math.log(strongest),
    coverage: ({ covered }: Signs) => Math.log(covered),
    length: ({ terms }: Signs) => Math.log(terms),
    volume: ({ volume }: Signs) => Math.log(volume),
    unknown: ({ unknown }: Signs) => unknown,
  },
  right: {
    evidence: ({ best }: Signs) => Math.log(best),
    coverage: ({ covered }: Signs) => Math.log(covered),
    second: ({ second }: Signs) => second,
    noise: ({ noise }: Signs) => noise,
  },
} as const

/** What is judged beside the rows. */
type Judged = Pick<ContentContext, 'asked' | 'nearest' | 'coverage' | 'facts'>

/**
 * Judges a ranking by two logistic models: whether anything in the store is about the query, and whether the best row
 * is then the right one. Both rise with evidence and coverage. A long row and a large store have to show more, since
 * they hold more words by chance. Fitted by bench/quality (weights.confidence).
 *
 * @param ranked best first
 */
export function confidenceIn(ranked: readonly Ranked[], context: Judged): Confidence {
  const signs = signsOf(ranked, context)
  if (!signs) return { value: 0, answers: false, best: 0, least: 0 }
  const answered = judged(confidenceModels.answered, weights.confidence.answered, signs)
  const right = judged(confidenceModels.right, weights.confidence.right, signs)
  return {
    value: asShown(logistic(answered) * logistic(right)),
    answers: answered >= 0 || context.nearest >= weights.confidence.near,
    best: signs.best,
    least: leastShown(signs.best, signs.noise * signs.best),
  }
}

/** @returns what the best rows of a ranking show; undefined of an empty one */
export function signsOf(ranked: readonly Ranked[], { asked, coverage, facts }: Judged): Signs | undefined {
  const first = ranked[0]
  if (!first) return undefined
  const { chance, covering, shortest, leastCoverage, leastEvidence, leastVolume } = weights.confidence
  const best = Math.max(leastEvidence, first.evidence)
  return {
    best,
    // The cap on hints lowers the evidence of a row, not what it has to say.
    strongest: Math.max(leastEvidence, ...ranked.flatMap(({ evidence, own }) => [evidence, own])),
    covered: Math.max(leastCoverage, ...ranked.slice(0, covering).map(row => coverageOf(row, coverage))),
    terms: Math.max(shortest, facts(first.id)?.terms ?? 0),
    second: (ranked[1]?.evidence ?? 0) / best,
    noise: mean(ranked.slice(chance.from, chance.to).map(({ evidence }) => evidence)) / best,
    unknown: asked.unknown,
    volume: Math.max(leastVolume, asked.volume),
  }
}

/**
 * Gives every row its score: the best has the confidence, the others as much of it as their evidence keeps up with the
 * best. To four places, as replies show it: a `score_min` taken from a reply keeps its row.
 */
export function scored(ranked: readonly Ranked[], { value, best }: Confidence): RankedRow[] {
  const { decay } = weights.confidence
  return ranked.map(row => ({ ...row, score: asShown(value * Math.min(1, row.evidence / best) ** decay) }))
}

/** Evidence ends where it is no longer above what chance gives, but never within a share of the best row. */
function leastShown(best: number, noise: number): number {
  const { shareOfBest, aboveNoise, surelyShown } = weights.cutOff
  const drop = noise + aboveNoise * (best - noise)
  return Math.max(shareOfBest * best, Math.min(drop, surelyShown * best))
}

/** Share of the query that a row answers to, by the channel that says most. */
function coverageOf({ id, contributions }: Ranked, coverage: ReadonlyMap<string, number>): number {
  return Math.max(coverage.get(id) ?? 0, ...contributions.map(channelCoverage))
}

function channelCoverage({ step, value }: Contribution): number {
  return step === 'hints' ? Math.min(1, value / weights.fuse.hints) : 0
}

/** The sum of a model: its features by the coefficients of the same names. */
function judged<Features extends Record<string, (signs: Signs) => number>>(
  features: Features,
  coefficients: Record<keyof Features | 'constant', number>,
  signs: Signs,
): number {
  return Object.entries(features).reduce(
    (sum, [name, feature]) => sum + coefficients[name]! * feature(signs),
    coefficients.constant,
  )
}

/** @returns the chance that log odds stand for, 0..1 */
export const logistic = (value: number): number => 1 / (1 + Math.exp(-value))

const asShown = (score: number): number => Number(score.toFixed(4))

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
