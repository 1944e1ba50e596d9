import type { IndexFacts } from '../search.js'

/** Texts one after another, and where each ends: what is copied to another thread. */
export interface JoinedTexts {
  text: string
  ends: Uint32Array
}

/** The rows of some hits, and what is known of them. */
export interface PackedFacts {
  /** First the ids of the rows, whose places are theirs, then the names of authors and sessions. */
  texts: readonly string[] | JoinedTexts
  /** How many rows there are: those that were found, and where entries have sessions those beside them. */
  rows: number
  /**
   * Of each row its author, its session, and the rows before and after it in that (places, -1 for none); then its
   * length and the mean length in its session, in terms. None where entries have no sessions.
   */
  facts: Int32Array
  /** Of each row; none where entries have no sessions. */
  createdAt: Float64Array
}

export const factWidth = 6
/** In the place of a text. */
export const none = -1

/** Reads what is packed of rows by their places; a text is made when somebody asks for it. */
export class HitRows {
  constructor(readonly packed: PackedFacts) {}

  /** The id of a row, or the name of an author or a session. */
  text(place: number): string {
    const { texts } = this.packed
    if (!('ends' in texts)) return texts[place]!
    return texts.text.slice(place === 0 ? 0 : texts.ends[place - 1]!, texts.ends[place])
  }

  /** The place behind that of the last name. */
  get texts(): number {
    const { texts } = this.packed
    return 'ends' in texts ? texts.ends.length : texts.length
  }

  /** Place of the name of its author, or `none`. */
  author(row: number): number {
    return this.packed.facts[row * factWidth] ?? none
  }

  /** Place of the name of its session, or `none`. */
  session(row: number): number {
    return this.packed.facts[row * factWidth + 1] ?? none
  }

  /** The row before it in its session, or `none`. */
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

  /** Undefined for a row that nothing is known of. */
  createdAt(row: number): number | undefined {
    return this.packed.createdAt[row]
  }
}

/** The facts of a row of which there are some. */
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

/** The same hits with their texts joined: a list of strings takes longer to copy to another thread than one. */
export function joined<Hits extends PackedFacts>(hits: Hits): Hits {
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
