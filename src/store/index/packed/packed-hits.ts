import type { ChannelCeilings, ChannelHit, IndexFacts, IndexHits } from '../search.js'

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

/** Joined texts with the end of each; cheap to copy to another thread. */
export interface JoinedTexts {
  text: string
  ends: Uint32Array
}

/** The rows of hits and facts about them. */
export interface PackedFacts {
  /** Ids of the rows at their own positions, followed by author and session names. */
  texts: readonly string[] | JoinedTexts
  /** Number of rows: the hits and, in collections with sessions, their neighbours. */
  rows: number
  /**
   * For each row: author, session, previous and next row (positions, -1 for none), its length and the mean
   * length in its session, in terms. Empty in collections without sessions.
   */
  facts: Int32Array
  /** Creation time of each row; empty in collections without sessions. */
  createdAt: Float64Array
}

export const factWidth = 6
/** Stands for a missing text. */
export const none = -1

/** Reads packed rows by position; texts are decoded on demand. */
export class HitRows {
  constructor(readonly packed: PackedFacts) {}

  /** The id of a row, or the name of an author or session. */
  text(place: number): string {
    const { texts } = this.packed
    if (!('ends' in texts)) return texts[place]!
    return texts.text.slice(place === 0 ? 0 : texts.ends[place - 1]!, texts.ends[place])
  }

  /** One more than the position of the last name. */
  get texts(): number {
    const { texts } = this.packed
    return 'ends' in texts ? texts.ends.length : texts.length
  }

  /** Position of its author's name, or `none`. */
  author(row: number): number {
    return this.packed.facts[row * factWidth] ?? none
  }

  /** Position of its session's name, or `none`. */
  session(row: number): number {
    return this.packed.facts[row * factWidth + 1] ?? none
  }

  /** The previous row in its session, or `none`. */
  previous(row: number): number {
    return this.packed.facts[row * factWidth + 2] ?? none
  }

  next(row: number): number {
    return this.packed.facts[row * factWidth + 3] ?? none
  }

  terms(row: number): number {
    return this.packed.facts[row * factWidth + 4] ?? 0
  }

  sessionTerms(row: number): number {
    return this.packed.facts[row * factWidth + 5] ?? 0
  }

  /** Undefined for a row without facts. */
  createdAt(row: number): number | undefined {
    return this.packed.createdAt[row]
  }
}

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

/** The facts of a row that has some. */
export function factsOfPlace(rows: HitRows, row: number): IndexFacts {
  const textAt = (place: number): string | null => (place === none ? null : rows.text(place))
  return {
    who: textAt(rows.author(row)),
    createdAt: rows.createdAt(row)!,
    session: textAt(rows.session(row)),
    previous: textAt(rows.previous(row)),
    next: textAt(rows.next(row)),
    terms: rows.terms(row),
    sessionTerms: rows.sessionTerms(row),
  }
}

/** Joins the texts of hits: one string copies to another thread faster than a list. */
export function joinTexts<Hits extends PackedFacts>(hits: Hits): Hits {
  const { texts } = hits
  if ('ends' in texts) return hits
  const ends = new Uint32Array(texts.length)
  let end = 0
  for (let i = 0; i < texts.length; i++) {
    end += texts[i]!.length
    ends[i] = end
  }
  return { ...hits, texts: { text: texts.join(''), ends } }
}
