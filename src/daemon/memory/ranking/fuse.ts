import type { ChannelHit } from '../../../store/index/memory-index.js'
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
  const give = (step: string, scores: ReadonlyMap<string, number>) => {
    for (const [id, value] of scores) {
      if (!(value > 0)) continue
      const contribution: Contribution = { step, effect: 'add', value }
      const known = merged.get(id)
      if (known) known.push(contribution)
      else merged.set(id, [contribution])
    }
  }
  give('keyword', coverage(hits, 'keyword', 1))
  give('vector', aboveNoise(hits.vector))
  give('hints', coverage(hits, 'hints', HINT_WEIGHT))
  return merged
}

/** Share of the query that a row holds, about 0..1.3; relative to the best row where no ceiling is known. */
function coverage(hits: RankableHits, channel: 'keyword' | 'hints', weight: number): Map<string, number> {
  const scores = byId(hits[channel])
  const full = fullCoverage(hits, channel, scores.values())
  for (const [id, score] of scores) scores.set(id, (weight * score) / full)
  return scores
}

/** How far a cosine rises above the cosine of unrelated rows, 0..1. */
function aboveNoise(hits: readonly ChannelHit[]): Map<string, number> {
  const scores = byId(hits)
  const sorted = Float64Array.from(scores.values()).sort()
  const middle = sorted.length < NOISE_SAMPLE ? 0 : sorted[sorted.length >> 1]!
  const noise = Math.max(NOISE_COSINE, middle)
  for (const [id, cosine] of scores) scores.set(id, noise < 1 ? (cosine - noise) / (1 - noise) : 0)
  return scores
}
