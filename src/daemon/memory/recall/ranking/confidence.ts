import { type Candidate, type Contribution, type ScoredCandidate, totalEvidence } from './evidence.js'
import type { ContentContext } from './step.js'
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
  /** How often the best row says words of the query. */
  said: number
  /** Distinct terms of the best row. */
  terms: number
  /** Evidence of the second row, and that which chance gives, as shares of the best; see `strayEvidence`. */
  second: number
  noise: number
  /** Share of the query's words that no row holds, and the terms of all rows that were searched: see `ChannelCeilings`. */
  unknown: number
  volume: number
}

/** The features of each logistic model; its coefficients stand under the same names in `weights.confidence`. */
export const confidenceModels = {
  answered: {
    match: ({ covered, strongest }: Signs) =>
      Math.log(covered) + weights.confidence.evidenceShare * Math.log(strongest),
    said: ({ said }: Signs) => Math.log(1 + said),
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
type ConfidenceContext = Pick<
  ContentContext,
  'wordVectors' | 'asked' | 'nearest' | 'coverage' | 'occurrences' | 'facts'
>

/**
 * Judges a ranking by two logistic models: whether anything in the store is about the query, and whether the best row
 * is then the right one. Both rise with evidence and coverage, the first also with how often the row says words of the
 * query. A long row and a large store have to show more, since they hold more words by chance. Fitted by bench/quality
 * (weights.confidence).
 *
 * @param ranked best first
 */
export function confidenceIn(ranked: readonly Candidate[], context: ConfidenceContext): Confidence {
  const signs = signsOf(ranked, context)
  if (!signs) return { value: 0, answers: false, best: 0, least: 0 }
  const answered = judged(confidenceModels.answered, weights.confidence.answered, signs)
  const right = judged(confidenceModels.right, weights.confidence.right, signs)
  return {
    value: asShown(logistic(answered) * logistic(right)),
    answers: answered >= 0 || context.nearest >= weights.confidence.near,
    best: signs.best,
    least: leastShown(signs.best, chanceIn(ranked)),
  }
}

/**
 * Whether rows may answer, before their content is known: the most that `confidenceIn` could make of them.
 *
 * @param rows every row that is going to be loaded, by the steps that see ids
 * @param lift the most by which the steps that see content multiply the evidence of one of them
 */
export function mayAnswer(
  rows: readonly Candidate[],
  answers: Omit<ConfidenceContext, 'facts'>,
  lift: number,
): boolean {
  const { asked, coverage, occurrences, nearest } = answers
  const signs = signsOf(rows, { ...answers, facts: () => undefined })
  if (!signs) return false
  const most = judged(confidenceModels.answered, weights.confidence.answered, {
    ...signs,
    strongest: lift * signs.strongest,
    // Any of them may become one of the first, or the best.
    covered: rows.reduce((best, row) => Math.max(best, coverageOf(row, coverage)), signs.covered),
    said: rows.reduce((best, row) => Math.max(best, saidBy(row, occurrences, asked.words)), signs.said),
  })
  return most >= 0 || nearest >= weights.confidence.near
}

/** @returns what the best rows of a ranking show; undefined of an empty one */
export function signsOf(
  ranked: readonly Candidate[],
  { wordVectors, asked, coverage, occurrences, facts }: ConfidenceContext,
): Signs | undefined {
  const first = ranked[0]
  if (!first) return undefined
  const { covering, shortest, leastCoverage, leastEvidence, leastVolume, strayShare } = weights.confidence
  const best = Math.max(leastEvidence, first.evidence)
  const strengthOf = wordVectors ? strengthWithoutVectors : strengthInAll
  const stray = strayEvidence(asked)
  return {
    best,
    // The cap on hints lowers the evidence of a row, not what it has to say.
    strongest: ranked.reduce<number>((most, row) => Math.max(most, strengthOf(row)), leastEvidence),
    covered: ranked
      .slice(0, covering)
      .reduce<number>((most, row) => Math.max(most, coverageOf(row, coverage)), leastCoverage),
    said: saidBy(first, occurrences, asked.words),
    terms: Math.max(shortest, facts(first.id)?.terms ?? 0),
    second: Math.min(1, Math.max(ranked[1]?.evidence ?? 0, stray) / best),
    noise: Math.min(1, Math.max(chanceIn(ranked), strayShare * stray) / best),
    unknown: asked.unknown,
    volume: Math.max(leastVolume, asked.volume),
  }
}

/** The evidence of a row by its channels or in all, whichever is more. */
function strengthInAll({ evidence, own }: Candidate): number {
  return Math.max(evidence, own)
}

function strengthWithoutVectors({ own, contributions }: Candidate): number {
  const vectors = contributions.filter(({ step }) => step === 'vector')
  const others = contributions.filter(({ step }) => step !== 'vector')
  return Math.max(totalEvidence(others), own - totalEvidence(vectors))
}

/**
 * Gives every row its score: the best has the confidence, the others as much of it as their evidence keeps up with the
 * best. To four places, as replies show it: a `score_min` taken from a reply keeps its row.
 */
export function scored(ranked: readonly Candidate[], { value, best }: Confidence): ScoredCandidate[] {
  const { decay } = weights.confidence
  return ranked.map(({ id, evidence, own, contributions }) => {
    const score = asShown(value * Math.min(1, evidence / best) ** decay)
    return { id, evidence, own, contributions, score }
  })
}

/** Evidence that chance gives: that of the rows at the places where nothing answers any more. */
function chanceIn(ranked: readonly Candidate[]): number {
  const { from, to } = weights.confidence.chance
  return mean(ranked.slice(from, to).map(({ evidence }) => evidence))
}

/**
 * A small store cannot show what chance gives: that no second row holds a word of the query tells little there, and in
 * one of a few rows nothing. The smaller it is, the more it is taken to have rows that hold one word.
 */
function strayEvidence({ words, volume }: ConfidenceContext['asked']): number {
  const missing = 1 - Math.min(1, volume / weights.confidence.smallVolume)
  return missing / Math.min(Math.max(1, words), weights.fuse.fullQuestionWords)
}

/** Evidence ends where it is no longer above what chance gives, but never within a share of the best row. */
function leastShown(best: number, noise: number): number {
  const { shareOfBest, aboveNoise, surelyShown } = weights.cutOff
  const drop = noise + aboveNoise * (best - noise)
  return Math.max(shareOfBest * best, Math.min(drop, surelyShown * best))
}

/** Share of the query that a row answers to, by the channel that says most. */
function coverageOf({ id, contributions }: Candidate, coverage: ConfidenceContext['coverage']): number {
  return contributions.reduce((most, given) => Math.max(most, channelCoverage(given)), coverage(id))
}

/** How often a row says words of the query; a hint or a claim has said once as many of them as it covers. */
function saidBy(
  { id, contributions }: Candidate,
  occurrences: ConfidenceContext['occurrences'],
  words: number,
): number {
  const hinted = (given: Contribution): number => channelCoverage(given) * words
  return contributions.reduce((most, given) => Math.max(most, hinted(given)), occurrences(id))
}

function channelCoverage({ step, value }: Contribution): number {
  if (step === 'hints') return Math.min(1, value / weights.fuse.hints)
  return step === 'claims' ? Math.min(1, value / weights.claims.points) : 0
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

/**
 * Cuts a ranking off: an empty answer is better than noise.
 *
 * @param scoreMin 0..1; keeps the rows with at least this score, 0 keeps all. Without it the default holds: nothing
 *   when nothing in the store is about the query, otherwise the rows above the point where evidence ends.
 */
export function relevant<Row extends Pick<ScoredCandidate, 'score' | 'evidence'>>(
  ranked: readonly Row[],
  { answers, least }: Confidence,
  scoreMin?: number,
): Row[] {
  if (scoreMin !== undefined) return ranked.filter(({ score }) => score >= scoreMin)
  return answers ? ranked.filter(({ evidence }) => evidence >= least) : []
}

/** @returns the chance that log odds stand for, 0..1 */
export const logistic = (value: number): number => 1 / (1 + Math.exp(-value))

const asShown = (score: number): number => Number(score.toFixed(4))

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
