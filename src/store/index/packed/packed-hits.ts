import type { ChannelCeilings, ChannelHit, IndexFacts, IndexHits } from '../search.js'
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
  return new UnpackedHits(packed)
}

/** Its getters stand in the prototype: a literal with getters costs V8 a new shape for each search. */
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

  /** Empty where it was not asked for. */
  #ofKeyword(scores: Float64Array): ChannelHit[] {
    return this.#hitsOf({ places: this.packed.keyword.places, scores })
  }

  #hitsOf({ places, scores }: PackedScores): ChannelHit[] {
    const read = new HitRows(this.packed)
    return Array.from(scores, (score, i) => ({ id: read.text(places[i]!), score }))
  }
}
