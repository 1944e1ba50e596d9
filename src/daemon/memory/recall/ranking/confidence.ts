import { type Candidate, type Contribution, type ScoredCandidate, totalEvidence } from './evidence.js'
import type { ContentContext } from './step.js'
import { weights } from './weights.js'

/** Judgement of a whole ranking. */
export interface Confidence {
  /** Probability that the best row answers the query, 0..1 to four places. */
  value: number
  /** False when the store probably contains nothing about the query. */
  answers: boolean
  /** Evidence of the best row, and the minimum for a row to be shown by default. */
  best: number
  least: number
}

/** Input of the models, each limited to the minimum in `weights`. */
export interface Signs {
  /** Evidence of the best row, and the highest evidence of any row, by its channels or in total. */
  best: number
  strongest: number
  /** Share of the query that one of the first rows covers, 0..1. */
  covered: number
  /** How often words of the query occur in the best row. */
  said: number
  /** Distinct terms of the best row. */
  terms: number
  /** Evidence of the second row, and evidence by chance, as shares of the best; see `strayEvidence`. */
  second: number
  noise: number
  /**
   * Share of the query's words that occur in no row, and the terms of all searched rows; see
   * `ChannelCeilings`.
   */
  unknown: number
  volume: number
  /** Cosine of the nearest row by the packaged sentence model, -1..1; 0 without it. */
  cosine: number
}

/** Features of each logistic model; the coefficients have the same names in `weights.confidence`. */
export const confidenceModels = {
  answered: {
    match: ({ covered, strongest }: Signs) =>
      Math.log(covered) + weights.confidence.evidenceShare * Math.log(strongest),
    said: ({ said }: Signs) => Math.log(1 + said),
    length: ({ terms }: Signs) => Math.log(terms),
    volume: ({ volume }: Signs) => Math.log(volume),
    unknown: ({ unknown }: Signs) => unknown,
  },
  answeredByMeaning: {
    cosine: ({ cosine }: Signs) => cosine,
    coverage: ({ covered }: Signs) => Math.log(covered),
    volume: ({ volume }: Signs) => Math.log(volume),
  },
  right: {
    evidence: ({ best }: Signs) => Math.log(best),
    coverage: ({ covered }: Signs) => Math.log(covered),
    second: ({ second }: Signs) => second,
    noise: ({ noise }: Signs) => noise,
  },
} as const

type ConfidenceContext = Pick<
  ContentContext,
  'model' | 'asked' | 'nearest' | 'cosine' | 'compared' | 'coverage' | 'occurrences' | 'facts'
>

/**
 * Judges a ranking with two logistic models: whether the store contains anything about the query, and whether
 * the best row is then the right one. Both rise with evidence and coverage, the first also with the number of
 * query words in the row. Long rows and large stores need more, since they contain more words by chance.
 * Fitted by bench/quality (weights.confidence).
 *
 * @param ranked best first
 */
export function confidenceIn(ranked: readonly Candidate[], context: ConfidenceContext): Confidence {
  const signs = signsOf(ranked, context)
  if (!signs) return { value: 0, answers: false, best: 0, least: 0 }
  const answered = answeredOdds(ranked, signs, context)
  const coefficients =
    context.cosine === undefined ? weights.confidence.right : weights.confidence.rightByMeaning
  const right = modelSum(confidenceModels.right, coefficients, signs)
  return {
    value: roundScore(logistic(answered) * logistic(right)),
    answers: answered >= 0 || context.nearest >= weights.confidence.near,
    best: signs.best,
    least: leastShown(signs.best, chanceIn(ranked)),
  }
}

/**
 * Log odds that the store contains anything about the query. The packaged sentence model tells by its nearest
 * row, unless the best row has no vector yet: then the better of both judgements counts.
 */
function answeredOdds(
  ranked: readonly Candidate[],
  signs: Signs,
  { cosine, compared }: Pick<ConfidenceContext, 'cosine' | 'compared'>,
): number {
  const byWords = modelSum(confidenceModels.answered, weights.confidence.answered, signs)
  if (cosine === undefined) return byWords
  const { answeredByMeaning } = weights.confidence
  const byMeaning = modelSum(confidenceModels.answeredByMeaning, answeredByMeaning, signs)
  return compared(ranked[0]?.id ?? '') ? byMeaning : Math.max(byMeaning, byWords)
}

/**
 * Tells whether rows may answer before their content is loaded: an upper bound of `confidenceIn`.
 *
 * @param rows every row to be loaded, ranked by the steps that see ids
 * @param lift maximum factor of the steps that see content
 */
export function mayAnswer(
  rows: readonly Candidate[],
  answers: Omit<ConfidenceContext, 'facts'>,
  lift: number,
): boolean {
  const { asked, coverage, occurrences, nearest } = answers
  const signs = signsOf(rows, { ...answers, facts: () => undefined })
  if (!signs) return false
  const most = answeredOdds(
    rows,
    {
      ...signs,
      strongest: lift * signs.strongest,
      // Content may make any row the best or one of the first.
      covered: rows.reduce((best, row) => Math.max(best, coverageOf(row, coverage)), signs.covered),
      said: rows.reduce(
        (best, row) => Math.max(best, queryWordsIn(row, occurrences, asked.words)),
        signs.said,
      ),
    },
    {
      cosine: answers.cosine,
      compared: () => rows.every(({ id }) => answers.compared(id)),
    },
  )
  return most >= 0 || nearest >= weights.confidence.near
}

/** @returns the signs of a ranking; undefined for an empty one */
export function signsOf(
  ranked: readonly Candidate[],
  { model, asked, cosine, coverage, occurrences, facts }: ConfidenceContext,
): Signs | undefined {
  const first = ranked[0]
  if (!first) return undefined
  const { covering, shortest, leastCoverage, leastEvidence, leastVolume, strayShare } = weights.confidence
  const best = Math.max(leastEvidence, first.evidence)
  const strengthOf = model === 'words' || model === 'sentences' ? strengthWithoutVectors : strengthInAll
  // Cosines show by themselves how near the other rows are.
  const stray = cosine === undefined ? strayEvidence(asked) : 0
  return {
    best,
    // The cap on hints lowers a row's evidence, but not its strength.
    strongest: ranked.reduce<number>((most, row) => Math.max(most, strengthOf(row)), leastEvidence),
    covered: ranked
      .slice(0, covering)
      .reduce<number>((most, row) => Math.max(most, coverageOf(row, coverage)), leastCoverage),
    said: queryWordsIn(first, occurrences, asked.words),
    terms: Math.max(shortest, facts(first.id)?.terms ?? 0),
    second: Math.min(1, Math.max(ranked[1]?.evidence ?? 0, stray) / best),
    noise: Math.min(1, Math.max(chanceIn(ranked), strayShare * stray) / best),
    unknown: asked.unknown,
    volume: Math.max(leastVolume, asked.volume),
    cosine: cosine ?? 0,
  }
}

function strengthInAll({ evidence, own }: Candidate): number {
  return Math.max(evidence, own)
}

function strengthWithoutVectors({ own, contributions }: Candidate): number {
  const vectors = contributions.filter(({ step }) => step === 'vector')
  const others = contributions.filter(({ step }) => step !== 'vector')
  return Math.max(totalEvidence(others), own - totalEvidence(vectors))
}

/**
 * Gives every row its score: the confidence for the best, less for the others as their evidence falls.
 * Rounded to four places as in replies, so a `score_min` copied from a reply keeps its row.
 */
export function scored(ranked: readonly Candidate[], { value, best }: Confidence): ScoredCandidate[] {
  const { decay } = weights.confidence
  return ranked.map(({ id, evidence, own, contributions }) => {
    const score = roundScore(value * Math.min(1, evidence / best) ** decay)
    return { id, evidence, own, contributions, score }
  })
}

/** Evidence by chance: the mean of rows at places where nothing answers any more. */
function chanceIn(ranked: readonly Candidate[]): number {
  const { from, to } = weights.confidence.chance
  return mean(ranked.slice(from, to).map(({ evidence }) => evidence))
}

/**
 * A small store can't show evidence by chance: a missing second row means little there, and nothing among a
 * few rows. The smaller the store, the more it is assumed to contain rows with one word of the query.
 */
function strayEvidence({ words, volume }: ConfidenceContext['asked']): number {
  const missing = 1 - Math.min(1, volume / weights.confidence.smallVolume)
  return missing / Math.min(Math.max(1, words), weights.fuse.fullQuestionWords)
}

/** The cut-off lies just above evidence by chance, but never below a share of the best row. */
function leastShown(best: number, noise: number): number {
  const { shareOfBest, aboveNoise, surelyShown } = weights.cutOff
  const drop = noise + aboveNoise * (best - noise)
  return Math.max(shareOfBest * best, Math.min(drop, surelyShown * best))
}

/** Share of the query that a row covers, by its best channel. */
function coverageOf({ id, contributions }: Candidate, coverage: ConfidenceContext['coverage']): number {
  return contributions.reduce((most, given) => Math.max(most, channelCoverage(given)), coverage(id))
}

/** How often words of the query occur in a row; a hint or claim counts once for each word it covers. */
function queryWordsIn(
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

/** Sums a model's features, multiplied by the coefficients of the same names. */
function modelSum<Features extends Record<string, (signs: Signs) => number>>(
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
 * Cuts off a ranking: an empty answer is better than noise.
 *
 * @param scoreMin 0..1; keeps rows with at least this score, 0 keeps all. Without it, nothing is kept when
 * the store contains nothing about the query, otherwise the rows above the cut-off.
 */
export function keepRelevant<Row extends Pick<ScoredCandidate, 'score' | 'evidence'>>(
  ranked: readonly Row[],
  { answers, least }: Confidence,
  scoreMin?: number,
): Row[] {
  if (scoreMin !== undefined) return ranked.filter(({ score }) => score >= scoreMin)
  return answers ? ranked.filter(({ evidence }) => evidence >= least) : []
}

/** @returns the probability for log odds, 0..1 */
export const logistic = (value: number): number => 1 / (1 + Math.exp(-value))

const roundScore = (score: number): number => Number(score.toFixed(4))

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
