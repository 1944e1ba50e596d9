import { factsOfPlace, HitRows, type PackedFacts } from '../../../../store/index/packed/hit-rows.js'
import type { IndexFacts } from '../../../../store/index/search.js'
import type { RankedPlaces } from './evidence-table.js'
import { weights } from './weights.js'

/**
 * The candidates of a ranking by their places: the rows of the hits, then those that something else led to. Ids are made
 * for those rows only that are looked at one by one.
 */
export class CandidateRows extends HitRows implements RankedPlaces {
  readonly #added: string[] = []
  /** Places of ids that were asked for, and once an unknown one is, of all. */
  readonly #places = new Map<string, number>()
  #knowsAll = false

  /** @param capacity most rows that there may be. */
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

  /** The place of an id, a new one if it has none. */
  placeFor(id: string): number {
    const known = this.placeOf(id)
    if (known !== undefined) return known
    const place = this.packed.rows + this.#added.push(id) - 1
    this.#places.set(id, place)
    return place
  }

  /** How far a row is a turn of a talk; see `talkShare`. */
  talk(place: number): number {
    return this.session(place) < 0 ? 0 : talkOfTurns(this.sessionTerms(place))
  }

  /** Whether a row belongs to a session of pages: its answers repeat every word of the matter. */
  isPage(place: number): boolean {
    return this.session(place) >= 0 && isLongTurn(this.sessionTerms(place))
  }

  /** What the index tells of a row; undefined of one that it did not find. */
  factsOf(id: string): IndexFacts | undefined {
    const place = this.placeOf(id)
    return place === undefined || this.createdAt(place) === undefined ? undefined : factsOfPlace(this, place)
  }
}

/**
 * How far a row is a turn of a talk, where neighbours and replies complete what is said: 1 in a session of short
 * turns, 0 in one of pages, such as the answers of an assistant; 0 outside sessions. Told by the mean length of the
 * session's rows.
 */
export function talkShare(facts: IndexFacts | undefined): number {
  return facts?.session ? talkOfTurns(facts.sessionTerms) : 0
}

/** The same of a row of a session, by the mean length of its rows in terms. */
function talkOfTurns(sessionTerms: number): number {
  const { shortTurn, longTurn } = weights.talk
  return Math.min(1, Math.max(0, (longTurn - sessionTerms) / (longTurn - shortTurn)))
}

/** Whether the rows of a session are pages. */
function isLongTurn(sessionTerms: number): boolean {
  return sessionTerms >= weights.talk.longTurn
}
