import type { ChannelHit, IndexFacts, IndexHits } from '../../../../store/index/search.js'
import { byId, type Contribution, fullCoverage, type RankableHits } from './evidence.js'
import { talkShare } from './talk.js'
import { weights } from './weights.js'

/**
 * Merges the channels per memory id (recall.md 1.3.5). Keyword and hint scores become coverage of the query, where
 * a hint counts half; cosines count by how far they stand out. Rows with hints alone are capped last, after the
 * evidence steps (`hintCaps`).
 *
 * @returns the channels' contributions by memory id; ids without any positive evidence are left out
 */
export function fuse(hits: RankableHits, facts: FactsOf = () => undefined): Map<string, Contribution[]> {
  const merged = new Map<string, Contribution[]>()
  const give = (step: string, scores: ReadonlyMap<string, number>, evidenceOf: EvidenceOf) => {
    for (const [id, score] of scores) {
      const value = evidenceOf(score)
      if (!(value > 0)) continue
      const contribution: Contribution = { step, effect: 'add', value }
      const known = merged.get(id)
      if (known) known.push(contribution)
      else merged.set(id, [contribution])
    }
  }
  const [keyword, hints] = [byId(hits.keyword), byId(hits.hints)]
  const covers = coverage(1, fullCoverage(hits, 'keyword', keyword.values()))
  give('keyword', keyword, covers)
  give('vector', vectorEvidence(hits, [...keyword.values()].map(covers), facts), value => value)
  give('hints', hints, coverage(weights.fuse.hints, fullCoverage(hits, 'hints', hints.values())))
  return merged
}

type FactsOf = (id: string) => IndexFacts | undefined

/** What a channel's score of a row is worth. */
type EvidenceOf = (score: number) => number

/** Share of the query that a row holds, about 0..1.3; relative to the best row where no ceiling is known. */
function coverage(weight: number, full: number): EvidenceOf {
  return score => (weight * score) / full
}

/**
 * Cosines in the measure of the words: by how many standard deviations they stand above what is usual in their list,
 * each worth a share of the standard deviation of keyword evidence. What one model calls near another calls far; how
 * much a row stands out is comparable. Nothing is taken from other rows, so that words keep what they decide. Too few
 * cosines to tell what is usual count by their nearness alone.
 */
function vectorEvidence(
  { vector, wordVectors }: Pick<RankableHits, 'vector' | 'wordVectors'>,
  keyword: readonly number[],
  facts: FactsOf,
): Map<string, number> {
  if (vector.length < weights.fuse.noiseSample) return nearness(vector)
  const { usual, keywordDeviation } = weights.fuse
  const worth = (id: string) => (wordVectors ? wordVectorWorth(facts(id)) : weights.fuse.vector)
  const { mean, deviation } = spread(vector.map(({ score }) => score))
  const unit = spread(keyword).deviation || keywordDeviation
  const standsOut = (cosine: number) => (deviation > 0 ? (cosine - mean) / deviation - usual : 0)
  return new Map(vector.map(({ id, score }) => [id, worth(id) * unit * standsOut(score)]))
}

function wordVectorWorth(facts: IndexFacts | undefined): number {
  const { wordVector, wordVectorTalk } = weights.fuse
  return wordVector * (1 - talkShare(facts) * (1 - wordVectorTalk))
}

/**
 * What hits say of how well they answer, as the steps that see content take it. Sums of word vectors are near each other for
 * a word or two in common: they order rows, and whether any of them answers is told by words alone.
 */
export function answersIn(hits: RankableHits & Pick<IndexHits, 'ceilings'>) {
  const near = hits.wordVectors ? new Map<string, number>() : nearness(hits.vector)
  return {
    wordVectors: hits.wordVectors ?? false,
    asked: hits.ceilings,
    nearest: Math.max(0, ...near.values()),
    coverage: coverageIn(hits, near),
    occurrences: occurrencesIn(hits, near),
  }
}

/**
 * Share of the query that rows answer to, 0..1, by the channel that says most: by words as the index tells, by meaning
 * how far the cosine rises above that of unrelated rows.
 *
 * @param near nearness of the hits by their vectors
 * @returns shares by memory id
 */
export function coverageIn(
  { coverage }: Pick<RankableHits, 'coverage'>,
  near: ReadonlyMap<string, number>,
): Map<string, number> {
  const shares = byId(coverage)
  for (const [id, share] of near) shares.set(id, Math.max(share, shares.get(id) ?? 0))
  return shares
}

/**
 * How often a row says words of the query. What is near by meaning has said in other words as many of them as it
 * answers to, each once. Looked up when asked: of all rows it is that of the best one that matters.
 *
 * @param near nearness of the hits by their vectors
 * @returns the count of a memory by its id
 */
export function occurrencesIn(
  { occurrences, ceilings }: Pick<RankableHits, 'occurrences' | 'ceilings'>,
  near: ReadonlyMap<string, number>,
): (id: string) => number {
  return id => {
    const said = occurrences.find(hit => hit.id === id)?.score ?? 0
    return Math.max(said, (near.get(id) ?? 0) * (ceilings?.words ?? 1))
  }
}

/** @returns how far cosines rise above the cosine of unrelated rows, 0..1, by memory id */
export function nearness(vector: readonly ChannelHit[]): Map<string, number> {
  const sorted = Float64Array.from(vector, ({ score }) => score).sort()
  const middle = sorted.length < weights.fuse.noiseSample ? 0 : sorted[sorted.length >> 1]!
  const noise = Math.max(weights.fuse.noiseCosine, middle)
  const share = (cosine: number) => (noise < 1 ? Math.max(0, (cosine - noise) / (1 - noise)) : 0)
  return new Map(vector.map(({ id, score }) => [id, share(score)]))
}

function spread(values: readonly number[]): { mean: number; deviation: number } {
  const count = Math.max(1, values.length)
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  return { mean, deviation: Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count) }
}
