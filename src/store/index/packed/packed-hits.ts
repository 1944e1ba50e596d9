import type { ChannelCeilings, ChannelHit, IndexFacts, IndexHits } from '../search.js'
import { factsOfPlace, HitRows, type PackedFacts } from './hit-rows.js'

/** Positions of texts with their scores. */
export interface PackedScores {
  places: Int32Array
  scores: Float64Array
}

/**
 * Search results in a few arrays: every text once, everything else as numbers. They are cheap to build, rank
 * and copy to another thread; a thousand small objects would cost as much as the search.
 */
export interface PackedHits
  extends PackedFacts,
    Omit<
      IndexHits,
      'keyword' | 'expansion' | 'coverage' | 'occurrences' | 'hints' | 'vector' | 'sessions' | 'facts'
    > {
  keyword: PackedScores
  /** For rows found by keyword, in their order; 0 for rows without expansion terms. */
  expansion: Float64Array
  coverage: Float64Array
  occurrences: Float64Array
  hints: PackedScores
  vector: PackedScores
  /** Positions of session names. */
  sessions: PackedScores
}

/** Hits with their packed form, which is faster to read for hundreds of hits. */
export interface FoundHits extends IndexHits {
  readonly packed: PackedHits
}

export const nothingPacked: PackedScores = { places: new Int32Array(0), scores: new Float64Array(0) }

/** Wraps packed hits; objects are created on demand. */
export function unpackHits(packed: PackedHits): FoundHits {
  return new UnpackedHits(packed)
}

/** A class, because V8 would build a new shape for an object literal with getters on each search. */
class UnpackedHits implements FoundHits {
  readonly searchable: boolean
  readonly ceilings: ChannelCeilings
  readonly complete: boolean
  readonly vectorCompleteness: FoundHits['vectorCompleteness']
  readonly searchedWindow: number
  readonly timings: Record<string, number>

  constructor(readonly packed: PackedHits) {
    this.searchable = packed.searchable
    this.ceilings = packed.ceilings
    this.complete = packed.complete
    this.vectorCompleteness = packed.vectorCompleteness
    this.searchedWindow = packed.searchedWindow
    this.timings = packed.timings
  }

  get keyword(): ChannelHit[] {
    return this.#hitsOf(this.packed.keyword)
  }

  get expansion(): ChannelHit[] {
    return this.#ofKeyword(this.packed.expansion).filter(({ score }) => score > 0)
  }

  get coverage(): ChannelHit[] {
    return this.#ofKeyword(this.packed.coverage)
  }

  get occurrences(): ChannelHit[] {
    return this.#ofKeyword(this.packed.occurrences)
  }

  get hints(): ChannelHit[] {
    return this.#hitsOf(this.packed.hints)
  }

  get vector(): ChannelHit[] {
    return this.#hitsOf(this.packed.vector)
  }

  get sessions(): ReadonlyMap<string, number> {
    return new Map(this.#hitsOf(this.packed.sessions).map(({ id, score }) => [id, score]))
  }

  get facts(): ReadonlyMap<string, IndexFacts> {
    const read = new HitRows(this.packed)
    return new Map(
      Array.from(this.packed.createdAt, (_, row) => [read.text(row), factsOfPlace(read, row)] as const),
    )
  }

  /** Empty if not requested. */
  #ofKeyword(scores: Float64Array): ChannelHit[] {
    return this.#hitsOf({ places: this.packed.keyword.places, scores })
  }

  #hitsOf({ places, scores }: PackedScores): ChannelHit[] {
    const read = new HitRows(this.packed)
    return Array.from(scores, (score, i) => ({ id: read.text(places[i]!), score }))
  }
}
