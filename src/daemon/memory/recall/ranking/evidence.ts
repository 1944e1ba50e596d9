import type { PackedFacts } from '../../../../store/index/packed/hit-rows.js'
import type { PackedHits } from '../../../../store/index/packed/packed-hits.js'
import { weights } from './weights.js'

/** Hits of the index; without ceilings a score can only be compared with its own query's best. */
export type RankableHits = PackedFacts &
  Pick<PackedHits, 'keyword' | 'expansion' | 'coverage' | 'occurrences' | 'hints' | 'vector' | 'sessions'> &
  Partial<Pick<PackedHits, 'ceilings'>> & {
    /** Whether the vectors are sums of word vectors: the model of this package. */
    wordVectors?: boolean
  }

/** The hits of a search as rankings take them. @param wordVectors whether the model of this package made the vectors */
export function rankable(
  hits: PackedHits,
  wordVectors: boolean,
): RankableHits & Pick<PackedHits, 'ceilings'> {
  const { texts, rows, facts, createdAt, ceilings } = hits
  const { keyword, expansion, coverage, occurrences, hints, vector, sessions } = hits
  return {
    texts,
    rows,
    facts,
    createdAt,
    keyword,
    expansion,
    coverage,
    occurrences,
    hints,
    vector,
    sessions,
    ceilings,
    wordVectors,
  }
}

/** `add` puts evidence in, `multiply` weighs the sum of all that was added. */
export type Effect = 'add' | 'multiply'

/** What one channel or step gave to one memory. */
export interface Contribution {
  /** Name of the channel (`keyword`, `hints`, `vector`, `claims`, `traversal`) or of the step. */
  step: string
  effect: Effect
  value: number
}

/** A memory with its place in the ranking, before or after its content was looked at. */
export interface Candidate {
  id: string
  /** Sum of the additions times the product of the factors. */
  evidence: number
  /** Evidence from the channels alone: what the row itself has to show. */
  own: number
  contributions: readonly Contribution[]
}

/** A row of a finished ranking. */
export interface ScoredCandidate extends Candidate {
  /** 0..1, comparable across queries: of the best row the chance that it answers the query. */
  score: number
}

/** What is known of the entities that a query names gives to memories: points by id. */
export interface GraphEvidence {
  /** By the claims that they say. */
  claims: ReadonlyMap<string, number>
  /** By the entities that they mention. */
  traversal: ReadonlyMap<string, number>
}

/** @returns the evidence of a list of contributions: the sum of additions times the product of factors. */
export function totalEvidence(contributions: readonly Contribution[]): number {
  let sum = 0
  let factor = 1
  for (const { effect, value } of contributions) {
    if (effect === 'add') sum += value
    else factor *= value
  }
  return Math.max(0, sum * factor)
}

/** @returns the score that counts as full coverage of the query in a channel; the best of `scores` where no ceiling is known */
export function fullCoverage(
  hits: RankableHits,
  channel: 'keyword' | 'hints' | 'sessions',
  scores: Float64Array,
): number {
  const { ceilings } = hits
  if (!ceilings || !(ceilings[channel] > 0)) return Math.max(Number.MIN_VALUE, ...scores)
  return ceilings[channel] * Math.min(1, weights.fuse.fullQuestionWords / Math.max(1, ceilings.words))
}
