import { byId, type Contribution, fullCoverage, type RankableHits } from './evidence.js'
import { weights } from './weights.js'

/**
 * Merges the channels per memory id (recall.md 1.3.5). Keyword and hint scores become coverage of the query, where
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
  give('hints', hints, coverage(weights.fuse.hints, fullCoverage(hits, 'hints', hints.values())))
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
  const middle = sorted.length < weights.fuse.noiseSample ? 0 : sorted[sorted.length >> 1]!
  const noise = Math.max(weights.fuse.noiseCosine, middle)
  return cosine => (noise < 1 ? (cosine - noise) / (1 - noise) : 0)
}
