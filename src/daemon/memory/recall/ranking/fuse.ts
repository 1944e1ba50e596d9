import type { PackedScores } from '../../../../store/index/packed/packed-hits.js'
import type { ChannelCeilings } from '../../../../store/index/search.js'
import type { CandidateRows } from './candidate-rows.js'
import { fullCoverage, type ModelKind, type RankableHits } from './evidence.js'
import { type Column, type EvidenceTable, noValues } from './evidence-table.js'
import { weights } from './weights.js'

/**
 * Merges the channels per memory (recall.md 1.3.5). Keyword and hint scores become coverage of the query,
 * with hints at half weight; cosines count by their distance from the usual. Rows with hints only are
 * capped after the evidence steps (`hintCaps`).
 *
 * @returns one column per channel, by place; rows without positive evidence are left out
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

/** Undefined when the channel found nothing. */
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

/** Share of the query that rows contain, about 0..1.3; relative to the best row without a known ceiling. */
function coverage(weight: number, scores: Float64Array, full: number): Float64Array {
  return scores.map(score => (weight * score) / full)
}

/**
 * Converts cosines to keyword units: their standard deviations above the usual value, each worth a share of
 * the standard deviation of keyword evidence. Absolute cosines differ between models, but this distance is
 * comparable. Other rows lose nothing, so keyword evidence keeps its effect. Too few cosines for statistics
 * count by nearness alone.
 */
function vectorEvidence(
  { vector, model }: Pick<RankableHits, 'vector' | 'model'>,
  keyword: Float64Array,
  rows: CandidateRows,
): Float64Array {
  const { places, scores } = vector
  if (scores.length < weights.fuse.noiseSample) return nearness(scores, leastNoise(model))
  const { text, turn, usual } = weights.fuse.vector[model ?? 'other']
  const { mean, deviation } = spread(scores)
  const unit = spread(keyword).deviation || weights.fuse.keywordDeviation
  const standsOut = (cosine: number) => (deviation > 0 ? (cosine - mean) / deviation - usual : 0)
  // A turn of a talk says little by itself.
  const worth = (talk: number) => text + talk * (turn - text)
  const sure =
    model === 'sentences'
      ? Math.min(1, highestOf(nearness(scores, leastNoise(model))) / weights.fuse.sureNearness)
      : 1
  return scores.map((score, i) => sure * worth(rows.talk(places[i]!)) * unit * standsOut(score))
}

/**
 * Caps rows that only hints support (recall.md 1.3.5): they end below every row grounded by keyword, vector
 * or claim that is nearly as good as the best grounded one. A stray shared word does not cap a good hint.
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

/** Signs of how well hits answer the query. */
export interface Answers {
  model: ModelKind
  asked: ChannelCeilings
  /** Nearness of the nearest row by meaning, 0..1; 0 without vectors. */
  nearest: number
  /** Cosine of the nearest row by the packaged sentence model; undefined without it. */
  cosine: number | undefined
  /** True for rows whose vector was compared. */
  compared(id: string): boolean
  /**
   * Share of the query that a row covers, 0..1, by its best channel: words as counted by the index, or how
   * far the cosine is above that of unrelated rows.
   */
  coverage(id: string): number
  /** How often words of the query occur in a row. A row near by meaning counts each covered word once. */
  occurrences(id: string): number
}

/**
 * Reads signs of how well hits answer the query, looked up per requested row. Sums of word vectors are near
 * each other for a shared word or two: they order rows, but only words tell whether one answers. Cosines of
 * the packaged sentence model are a sign of their own.
 */
export function answersIn(
  hits: RankableHits & { ceilings: ChannelCeilings },
  rows: Pick<CandidateRows, 'placeOf'>,
): Answers {
  const { keyword, vector, ceilings } = hits
  const { model = 'other' } = hits
  const near = model === 'other' ? nearness(vector.scores) : new Float64Array(0)
  const among = ({ places }: PackedScores, id: string): number => places.indexOf(rows.placeOf(id) ?? -1)
  const nearOf = (id: string): number => near[among(vector, id)] ?? 0
  return {
    model,
    asked: ceilings,
    nearest: highestOf(near),
    cosine: model === 'sentences' && vector.scores.length > 0 ? highestOf(vector.scores) : undefined,
    compared: id => among(vector, id) >= 0,
    coverage: id => Math.max(nearOf(id), hits.coverage[among(keyword, id)] ?? 0),
    occurrences: id => Math.max(hits.occurrences[among(keyword, id)] ?? 0, nearOf(id) * ceilings.words),
  }
}

/** Cosine of unrelated texts when a list does not show it. */
function leastNoise(model: ModelKind | undefined): number {
  return model === 'sentences' ? weights.fuse.sentenceNoise : weights.fuse.noiseCosine
}

function highestOf(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, value), 0)
}

/** @returns how far cosines are above the cosine of unrelated rows, `least` or more, 0..1 */
export function nearness(cosines: Float64Array, least: number = weights.fuse.noiseCosine): Float64Array {
  const sorted = cosines.slice().sort()
  const middle = sorted.length < weights.fuse.noiseSample ? 0 : sorted[sorted.length >> 1]!
  const noise = Math.max(least, middle)
  return cosines.map(cosine => (noise < 1 ? Math.max(0, (cosine - noise) / (1 - noise)) : 0))
}

function spread(values: Float64Array): { mean: number; deviation: number } {
  const count = Math.max(1, values.length)
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  return { mean, deviation: Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count) }
}
