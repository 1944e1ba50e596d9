import type { ChannelHit, IndexHits } from '../search.js'
import { factsOfPlace, HitRows, type PackedFacts } from './hit-rows.js'

/** Places of texts, and a score for each. */
export interface PackedScores {
  places: Int32Array
  scores: Float64Array
}

/**
 * What a search found, as few arrays: every text once, all else numbers. It costs little to make, little to rank by and
 * little to copy to another thread, where a thousand small objects would cost as much as the search itself.
 */
export interface PackedHits
  extends PackedFacts,
    Omit<
      IndexHits,
      'keyword' | 'expansion' | 'coverage' | 'occurrences' | 'hints' | 'vector' | 'sessions' | 'facts'
    > {
  keyword: PackedScores
  /** Of the rows found by keyword, in their order; 0 for those that the words which stand out tell nothing of. */
  expansion: Float64Array
  coverage: Float64Array
  occurrences: Float64Array
  hints: PackedScores
  vector: PackedScores
  /** Of the names of sessions. */
  sessions: PackedScores
}

/** Hits, and what they were made of: who looks at hundreds of them reads that. */
export interface FoundHits extends IndexHits {
  readonly packed: PackedHits
}

export const nothingPacked: PackedScores = { places: new Int32Array(0), scores: new Float64Array(0) }

/** Hits as objects, which are made when they are asked for. */
export function unpackHits(packed: PackedHits): FoundHits {
  const {
    keyword,
    expansion,
    coverage,
    occurrences,
    hints,
    vector,
    sessions,
    facts: _,
    createdAt,
    texts: __,
    rows: ___,
    ...rest
  } = packed
  const read = new HitRows(packed)
  const hitsOf = ({ places, scores }: PackedScores): ChannelHit[] =>
    Array.from(scores, (score, i) => ({ id: read.text(places[i]!), score }))
  // Empty where it was not asked for.
  const ofKeyword = (scores: Float64Array): ChannelHit[] => hitsOf({ places: keyword.places, scores })
  return {
    ...rest,
    packed,
    get keyword() {
      return hitsOf(keyword)
    },
    get expansion() {
      return ofKeyword(expansion).filter(({ score }) => score > 0)
    },
    get coverage() {
      return ofKeyword(coverage)
    },
    get occurrences() {
      return ofKeyword(occurrences)
    },
    get hints() {
      return hitsOf(hints)
    },
    get vector() {
      return hitsOf(vector)
    },
    get sessions() {
      return new Map(hitsOf(sessions).map(({ id, score }) => [id, score]))
    },
    get facts() {
      const known = Array.from(createdAt, (_, row) => [read.text(row), factsOfPlace(read, row)] as const)
      return new Map(known)
    },
  }
}
