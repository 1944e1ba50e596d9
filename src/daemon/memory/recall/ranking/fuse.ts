import { byId, type Contribution, fullCoverage, type RankableHits } from './evidence.js'

const HINT_WEIGHT = 0.5
/** Cosine of unrelated texts when a list is too short to show it. */
const NOISE_COSINE = 0.2
/** From here on the middle of the list tells what unrelated rows look like for this query and model. */
const NOISE_SAMPLE = 20

/**
 * Merges the channels per memory id (spec 1, 1.3.5). Keyword and hint scores become coverage of the query, where
 * a hint counts half; cosines become their distance from the noise. Rows with hints alone are capped last, after
 * the evidence steps (`hintCaps`).
 *
 * @returns the channels' contributions by memory id; ids without any positive evidence are left out
 */
export function fuse(hits: RankableHits): Map<string, Contribution[]> {
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
  const [keyword, vector, hints] = [byId(hits.keyword), byId(hits.vector), byId(hits.hints)]
  give('keyword', keyword, coverage(1, fullCoverage(hits, 'keyword', keyword.values())))
  give('vector', vector, aboveNoise(vector.values()))
  give('hints', hints, coverage(HINT_WEIGHT, fullCoverage(hits, 'hints', hints.values())))
  return merged
}

/** What a channel's score of a row is worth. */
type EvidenceOf = (score: number) => number

/** Share of the query that a row holds, about 0..1.3; relative to the best row where no ceiling is known. */
function coverage(weight: number, full: number): EvidenceOf {
  return score => (weight * score) / full
}

/** How far a cosine rises above the cosine of unrelated rows, 0..1. */
function aboveNoise(cosines: Iterable<number>): EvidenceOf {
  const sorted = Float64Array.from(cosines).sort()
  const middle = sorted.length < NOISE_SAMPLE ? 0 : sorted[sorted.length >> 1]!
  const noise = Math.max(NOISE_COSINE, middle)
  return cosine => (noise < 1 ? (cosine - noise) / (1 - noise) : 0)
}
