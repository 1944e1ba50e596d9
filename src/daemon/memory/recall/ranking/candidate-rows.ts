import { factsOfPlace, HitRows, type PackedFacts } from '../../../../store/index/packed/packed-hits.js'
import type { IndexFacts } from '../../../../store/index/search.js'
import type { RankedPlaces } from './evidence-table.js'
import { weights } from './weights.js'

/**
 * The candidates of a ranking by place: rows of the hits first, then rows that graph evidence led to. Ids are
 * built only for rows that are looked up one by one.
 */
export class CandidateRows extends HitRows implements RankedPlaces {
  readonly #added: string[] = []
  /** Places of requested ids; of all ids after the first unknown one. */
  readonly #places = new Map<string, number>()
  #knowsAll = false

  /** @param capacity maximum number of rows */
  constructor(
    hits: PackedFacts,
    readonly capacity: number = hits.rows,
  ) {
    super(hits)
  }

  get count(): number {
    return this.packed.rows + this.#added.length
  }

  id(place: number): string {
    const { rows } = this.packed
    const id = place < rows ? this.text(place) : (this.#added[place - rows] as string)
    this.#places.set(id, place)
    return id
  }

  placeOf(id: string): number | undefined {
    const known = this.#places.get(id)
    if (known !== undefined || this.#knowsAll) return known
    for (let place = 0; place < this.packed.rows; place++) this.id(place)
    this.#knowsAll = true
    return this.#places.get(id)
  }

  /** Returns the place of an id and adds a new id at the end. */
  placeFor(id: string): number {
    const known = this.placeOf(id)
    if (known !== undefined) return known
    const place = this.packed.rows + this.#added.push(id) - 1
    this.#places.set(id, place)
    return place
  }

  /** See `talkShare`. */
  talk(place: number): number {
    return this.session(place) < 0 ? 0 : talkOfTurns(this.sessionTerms(place))
  }

  /** True for a row of a session with long rows, whose answers repeat every word of the topic. */
  isPage(place: number): boolean {
    return this.session(place) >= 0 && isLongTurn(this.sessionTerms(place))
  }

  /** Facts that the index has about a row; undefined for a row it did not find. */
  factsOf(id: string): IndexFacts | undefined {
    const place = this.placeOf(id)
    return place === undefined || this.createdAt(place) === undefined ? undefined : factsOfPlace(this, place)
  }
}

/**
 * How much a row is a turn of a conversation, where neighbours and replies complete the meaning: 1 in a
 * session of short turns, 0 in one of long texts such as assistant answers, and 0 outside sessions. Measured
 * by the mean row length of the session.
 */
export function talkShare(facts: IndexFacts | undefined): number {
  return facts?.session ? talkOfTurns(facts.sessionTerms) : 0
}

function talkOfTurns(sessionTerms: number): number {
  const { shortTurn, longTurn } = weights.talk
  return Math.min(1, Math.max(0, (longTurn - sessionTerms) / (longTurn - shortTurn)))
}

function isLongTurn(sessionTerms: number): boolean {
  return sessionTerms >= weights.talk.longTurn
}
