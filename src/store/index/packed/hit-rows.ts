import type { IndexFacts } from '../search.js'

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
