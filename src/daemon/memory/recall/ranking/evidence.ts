import type { PackedFacts, PackedHits } from '../../../../store/index/packed/packed-hits.js'
import { weights } from './weights.js'

/** Hits of the index. Without ceilings, scores are comparable only with the best of the same query. */
export type RankableHits = PackedFacts &
  Pick<PackedHits, 'keyword' | 'expansion' | 'coverage' | 'occurrences' | 'hints' | 'vector' | 'sessions'> &
  Partial<Pick<PackedHits, 'ceilings'>> & {
    /** The model of the vectors; `other` when absent. */
    model?: ModelKind
  }

/**
 * The meaning of cosines: the packaged word model adds up words, the confidence was fitted with the packaged
 * sentence model, and any other has a scale of its own.
 */
export type ModelKind = 'words' | 'sentences' | 'other'

/** Converts search hits for rankings. */
export function rankable(hits: PackedHits, model: ModelKind): RankableHits & Pick<PackedHits, 'ceilings'> {
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
    model,
  }
}

/** `add` adds evidence, `multiply` weighs the sum of all additions. */
export type Effect = 'add' | 'multiply'

/** The value that one channel or step gave to a memory. */
export interface Contribution {
  /** Name of the channel (`keyword`, `hints`, `vector`, `claims`, `traversal`) or of the step. */
  step: string
  effect: Effect
  value: number
}

/** A memory in a ranking, before or after its content is loaded. */
export interface Candidate {
  id: string
  /** Sum of the additions times product of the factors. */
  evidence: number
  /** Evidence from channels alone. */
  own: number
  contributions: readonly Contribution[]
}

/** A row of a finished ranking. */
export interface ScoredCandidate extends Candidate {
  /** 0..1, comparable across queries: for the best row, the probability that it answers the query. */
  score: number
}

/** Points of memories by id, from facts about the entities that a query names. */
export interface GraphEvidence {
  /** From facts that the memories state. */
  claims: ReadonlyMap<string, number>
  /** From entities that the memories mention. */
  traversal: ReadonlyMap<string, number>
}

/** @returns the sum of additions times product of factors */
export function totalEvidence(contributions: readonly Contribution[]): number {
  let sum = 0
  let factor = 1
  for (const { effect, value } of contributions) {
    if (effect === 'add') sum += value
    else factor *= value
  }
  return Math.max(0, sum * factor)
}

/**
 * @returns the score that means full coverage of the query in a channel; without a known ceiling, the best of
 * `scores`
 */
export function fullCoverage(
  hits: RankableHits,
  channel: 'keyword' | 'hints' | 'sessions',
  scores: Float64Array,
): number {
  const { ceilings } = hits
  if (!ceilings || !(ceilings[channel] > 0)) return Math.max(Number.MIN_VALUE, ...scores)
  return ceilings[channel] * Math.min(1, weights.fuse.fullQuestionWords / Math.max(1, ceilings.words))
}
