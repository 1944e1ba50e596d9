import type { PackedScores } from '../../../../store/index/packed/packed-hits.js'
import type { ChannelCeilings } from '../../../../store/index/search.js'
import type { CandidateRows } from './candidate-rows.js'
import { fullCoverage, type RankableHits } from './evidence.js'
import { type Column, type EvidenceTable, noValues } from './evidence-table.js'
import { weights } from './weights.js'

/**
 * Merges the channels per memory (recall.md 1.3.5). Keyword and hint scores become coverage of the query, where
 * a hint counts half; cosines count by how far they stand out. Rows with hints alone are capped last, after the
 * evidence steps (`hintCaps`).
 *
 * @returns what the channels give, by place; rows without any positive evidence are left out
 */
export function fuse(hits: RankableHits, rows: CandidateRows): Column[] {
  const { keyword, vector, hints } = hits
  const covered = coverage(1, keyword.scores, fullCoverage(hits, 'keyword', keyword.scores))
  const hinted = coverage(weights.fuse.hints, hints.scores, fullCoverage(hits, 'hints', hints.scores))
  return [
    columnOf('keyword', keyword, covered, rows),
    columnOf('vector', vector, vectorEvidence(hits, covered, rows), rows),
    columnOf('hints', hints, hinted, rows),
  ].filter(column => column !== undefined)
}

/** Undefined where a channel gives nothing. */
function columnOf(
  step: string,
  { places }: PackedScores,
  evidence: Float64Array,
  rows: CandidateRows,
): Column | undefined {
  if (places.length === 0) return undefined
  const values = noValues(rows)
  for (let i = 0; i < places.length; i++) if (evidence[i]! > 0) values[places[i]!] = evidence[i]!
  return { step, effect: 'add', values }
}

/** Share of the query that rows hold, about 0..1.3; relative to the best row where no ceiling is known. */
function coverage(weight: number, scores: Float64Array, full: number): Float64Array {
  return scores.map(score => (weight * score) / full)
}

/**
 * Cosines in the measure of the words: by how many standard deviations they stand above what is usual in their list,
 * each worth a share of the standard deviation of keyword evidence. What one model calls near another calls far; how
 * much a row stands out is comparable. Nothing is taken from other rows, so that words keep what they decide. Too few
 * cosines to tell what is usual count by their nearness alone.
 */
function vectorEvidence(
  { vector, wordVectors }: Pick<RankableHits, 'vector' | 'wordVectors'>,
  keyword: Float64Array,
  rows: CandidateRows,
): Float64Array {
  const { places, scores } = vector
  if (scores.length < weights.fuse.noiseSample) return nearness(scores)
  const { usual, keywordDeviation } = weights.fuse
  const worth = (place: number) => (wordVectors ? wordVectorWorth(rows.talk(place)) : weights.fuse.vector)
  const { mean, deviation } = spread(scores)
  const unit = spread(keyword).deviation || keywordDeviation
  const standsOut = (cosine: number) => (deviation > 0 ? (cosine - mean) / deviation - usual : 0)
  return scores.map((score, i) => worth(places[i]!) * unit * standsOut(score))
}

function wordVectorWorth(talk: number): number {
  const { wordVector, wordVectorTalk } = weights.fuse
  return wordVector * (1 - talk * (1 - wordVectorTalk))
}

/**
 * The cap on rows that only their hints speak for (recall.md 1.3.5): they end below every row that is grounded, by
 * keyword, vector or a claim that it says, nearly as well as the best grounded one. A stray shared word does not cap a good hint.
 *
 * @returns factors by place
 */
export function hintCaps(table: EvidenceTable): Float64Array | undefined {
  const isHinted = table.givenBy('hints')
  if (!isHinted) return undefined
  const grounds = ['keyword', 'vector', 'claims'].flatMap(step => table.givenBy(step) ?? [])
  const isGrounded = (place: number): boolean => grounds.some(isGiven => isGiven(place))
  const { count } = table.rows
  const hinted: number[] = []
  const grounded = noValues(table.rows)
  let best = -1
  for (let place = 0; place < count; place++) {
    if (isGrounded(place)) {
      grounded[place] = table.evidence(place)
      best = Math.max(best, grounded[place]!)
    } else if (isHinted(place)) hinted.push(place)
  }
  if (hinted.length === 0 || best < 0) return undefined
  const solid = weights.hintCap.solidShare * best
  const least = grounded.reduce((low, e) => (e >= solid ? Math.min(low, e) : low), Number.MAX_VALUE)
  const cap = weights.hintCap.belowGrounded * least
  const caps = noValues(table.rows)
  for (const place of hinted) {
    const evidence = table.evidence(place)
    if (evidence > cap) caps[place] = cap / evidence
  }
  return caps
}

/** What hits say of how well they answer. */
export interface Answers {
  wordVectors: boolean
  asked: ChannelCeilings
  /** How near the nearest row is by meaning, 0..1; 0 without vectors. */
  nearest: number
  /**
   * Share of the query that a row answers to, 0..1, by the channel that says most: by words as the index tells, by
   * meaning how far the cosine rises above that of unrelated rows.
   */
  coverage(id: string): number
  /**
   * How often a row says words of the query. What is near by meaning has said in other words as many of them as it
   * answers to, each once.
   */
  occurrences(id: string): number
}

/**
 * What hits say of how well they answer, as the steps that see content take it; looked up for the rows that are asked
 * of. Sums of word vectors are near each other for a word or two in common: they order rows, and whether any of them
 * answers is told by words alone.
 */
export function answersIn(
  hits: RankableHits & { ceilings: ChannelCeilings },
  rows: Pick<CandidateRows, 'placeOf'>,
): Answers {
  const { keyword, vector, ceilings } = hits
  const near = hits.wordVectors ? new Float64Array(0) : nearness(vector.scores)
  const among = ({ places }: PackedScores, id: string): number => places.indexOf(rows.placeOf(id) ?? -1)
  const nearOf = (id: string): number => near[among(vector, id)] ?? 0
  return {
    wordVectors: hits.wordVectors ?? false,
    asked: ceilings,
    nearest: near.reduce((most, share) => Math.max(most, share), 0),
    coverage: id => Math.max(nearOf(id), hits.coverage[among(keyword, id)] ?? 0),
    occurrences: id => Math.max(hits.occurrences[among(keyword, id)] ?? 0, nearOf(id) * ceilings.words),
  }
}

/** @returns how far cosines rise above the cosine of unrelated rows, 0..1 */
export function nearness(cosines: Float64Array): Float64Array {
  const sorted = cosines.slice().sort()
  const middle = sorted.length < weights.fuse.noiseSample ? 0 : sorted[sorted.length >> 1]!
  const noise = Math.max(weights.fuse.noiseCosine, middle)
  return cosines.map(cosine => (noise < 1 ? Math.max(0, (cosine - noise) / (1 - noise)) : 0))
}

function spread(values: Float64Array): { mean: number; deviation: number } {
  const count = Math.max(1, values.length)
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  return { mean, deviation: Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count) }
}
