import type { Accumulator } from '../arrays/accumulator.js'
import type { RowScores } from '../arrays/top-rows.js'
import type { ValueColumn } from '../rows/columns.js'
import type { WantedSessions } from '../rows/sessions.js'
import { factWidth, none, type PackedFacts, type PackedScores } from './packed-hits.js'
import type { PackedRows } from './packed-rows.js'

const noSessions: Pick<WantedSessions, 'numbers' | 'scores'> = { numbers: [], scores: new Float64Array(0) }

/** Row, author and session numbers start at 1. */
const nothing = 0

/** Packs found rows into `PackedHits`. Call `done` at the end. */
export class HitsPacker {
  readonly #rows: PackedRows
  /** Position of each row plus one, 0 if not found; and the rows by position. */
  readonly #places: Accumulator
  /** The rows of each position's session, and its neighbours in it. */
  readonly #mates: (readonly number[] | undefined)[] = []
  readonly #before: number[] = []
  readonly #after: number[] = []
  readonly #texts: string[] = []
  readonly #ofAuthor = new Map<number, number>()
  readonly #ofSession = new Map<number, number>()

  /** @param channels every found row; their neighbours in sessions get facts too. */
  constructor(rows: PackedRows, channels: readonly RowScores[]) {
    this.#rows = rows
    this.#places = rows.accumulators.take(rows.columns.end)
    const { sessions } = rows
    for (const { rows: found } of channels)
      for (let i = 0; i < found.length; i++) {
        const row = found[i]!
        const mates = sessions?.matesOf(row)
        const at = mates ? sessions!.placeAmong(mates, row) : 0
        this.#admit(row, mates, at)
        if (!mates) continue
        if (at > 0) this.#admit(mates[at - 1]!, mates, at - 1)
        if (at + 1 < mates.length) this.#admit(mates[at + 1]!, mates, at + 1)
      }
  }

  /** Skips entries removed during the search. */
  hits({ rows, scores }: RowScores): PackedScores {
    const places = new Int32Array(rows.length)
    let count = 0
    for (let i = 0; i < rows.length; i++) {
      const place = this.#placeOf(rows[i]!)
      if (place !== none) places[count++] = place
    }
    if (count === rows.length) return { places, scores }
    return { places: places.subarray(0, count), scores: this.beside({ rows, scores }, scores) }
  }

  /** Values parallel to the found rows, skipping the same removed entries. */
  beside({ rows }: RowScores, values: Float64Array): Float64Array {
    let isWhole = true
    for (let i = 0; i < values.length; i++) isWhole &&= this.#placeOf(rows[i]!) !== none
    return isWhole ? values : values.filter((_, i) => this.#placeOf(rows[i]!) !== none)
  }

  /** Skips sessions without a score. @param wanted undefined in collections without sessions. */
  sessions(wanted: WantedSessions | undefined): PackedScores {
    const { numbers, scores } = wanted ?? noSessions
    const places = new Int32Array(numbers.length)
    const positive = new Float64Array(numbers.length)
    let count = 0
    for (let i = 0; i < numbers.length; i++) {
      if (!(scores[i]! > 0)) continue
      places[count] = this.#sessionPlace(numbers[i]!)
      positive[count++] = scores[i]!
    }
    return { places: places.subarray(0, count), scores: positive.subarray(0, count) }
  }

  /** Positions of rows, `none` for entries removed during the search. */
  places(rows: Uint32Array): Int32Array {
    return Int32Array.from(rows, row => this.#placeOf(row))
  }

  /** Positions of the names of these sessions. */
  sessionPlaces(numbers: readonly number[]): Int32Array {
    return Int32Array.from(numbers, number => this.#sessionPlace(number))
  }

  facts(): Pick<PackedFacts, 'facts' | 'createdAt' | 'rows'> {
    const { sessions, author, content } = this.#rows
    const { touched, count } = this.#places
    if (!sessions) return { facts: new Int32Array(0), createdAt: new Float64Array(0), rows: count }
    const { key, time } = sessions.by
    const facts = new Int32Array(count * factWidth)
    const createdAt = new Float64Array(count)
    for (let place = 0, at = 0; place < count; place++, at += factWidth) {
      const row = touched[place]!
      facts[at] = author ? this.#namePlace(this.#ofAuthor, author, author.numbers[row]!) : none
      facts[at + 1] = this.#sessionPlace(key.numbers[row]!)
      facts[at + 2] = this.#placeOf(this.#before[place]!)
      facts[at + 3] = this.#placeOf(this.#after[place]!)
      facts[at + 4] = content.forward.size(row)
      facts[at + 5] = sessions.meanLength(row, this.#mates[place])
      createdAt[place] = time.numbers[row]!
    }
    return { facts, createdAt, rows: count }
  }

  /** Returns all texts; call it last. */
  done(): readonly string[] {
    this.#places.clear()
    this.#rows.accumulators.give(this.#places)
    return this.#texts
  }

  #placeOf(row: number): number {
    return this.#places.scores[row]! - 1
  }

  #admit(row: number, mates: readonly number[] | undefined, at: number): void {
    const places = this.#places
    if (places.scores[row] !== 0 || this.#rows.columns.live[row] !== 1) return
    places.touched[places.count++] = row
    places.scores[row] = this.#texts.push(this.#rows.ids.of(row))
    this.#mates.push(mates)
    this.#before.push(mates?.[at - 1] ?? nothing)
    this.#after.push(mates?.[at + 1] ?? nothing)
  }

  #sessionPlace(number: number): number {
    return this.#namePlace(this.#ofSession, this.#rows.sessions!.by.key, number)
  }

  /** @param places positions of this column's names. */
  #namePlace(places: Map<number, number>, { values }: ValueColumn, number: number): number {
    if (number === nothing) return none
    const known = places.get(number)
    if (known !== undefined) return known
    const place = this.#texts.push(values.text(number)) - 1
    places.set(number, place)
    return place
  }
}
