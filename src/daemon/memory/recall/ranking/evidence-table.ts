import type { Candidate, Contribution, Effect } from './evidence.js'

/** Values by place with NaN for missing ones, or by id when there are few; undefined without any. */
export type Values = Float64Array | ReadonlyMap<string, number> | undefined

/** Values of one channel or step by place; NaN for none. */
export interface Column {
  step: string
  effect: Effect
  values: Float64Array
}

/** Rows of a ranking by place, from 0 to `count` exclusive. */
export interface RankedPlaces {
  /** Grows up to `capacity`. */
  readonly count: number
  readonly capacity: number
  id(place: number): string
  placeOf(id: string): number | undefined
  /** Returns the place of an id and adds a new id; absent when the rows can't grow. */
  placeFor?(id: string): number
}

/** @returns an array for the capacity, filled with NaN */
export function noValues({ capacity }: Pick<RankedPlaces, 'capacity'>): Float64Array {
  return new Float64Array(capacity).fill(Number.NaN)
}

/**
 * Evidence of the rows so far: a column for each channel and step, and for each row the sum of its additions
 * and product of its factors. Details of a row are built only on request.
 */
export class EvidenceTable {
  readonly #columns: Column[] = []
  readonly #before: readonly (readonly Contribution[])[]
  readonly #sums: Float64Array
  readonly #factors: Float64Array
  readonly #given: Uint8Array
  readonly #candidates: Uint8Array
  /** Evidence from channels alone, by place; 0 for a row that is only next to a hit. */
  readonly own: Float64Array

  /** @param before rows of a ranking to continue, by place */
  constructor(
    readonly rows: RankedPlaces,
    before: readonly Candidate[] = [],
  ) {
    const { capacity } = rows
    this.own = new Float64Array(capacity)
    this.#sums = new Float64Array(capacity)
    this.#factors = new Float64Array(capacity).fill(1)
    this.#given = new Uint8Array(capacity)
    this.#candidates = new Uint8Array(capacity)
    this.#before = before.map(({ contributions }) => contributions)
    for (const [place, row] of before.entries()) {
      for (const { effect, value } of row.contributions) this.#give(place, effect, value)
      this.#given[place] = 1
      this.own[place] = row.own
      this.#candidates[place] = 1
    }
  }

  /** True after a channel or step gave a value to the row. */
  has(place: number): boolean {
    return this.#given[place] === 1
  }

  /** True for rows that were found and their neighbours. */
  isCandidate(place: number): boolean {
    return this.#candidates[place] === 1
  }

  /** Sum of additions times product of factors. */
  evidence(place: number): number {
    return Math.max(0, this.#sums[place]! * this.#factors[place]!)
  }

  /** Undefined for a row without any value. */
  evidenceOf(id: string): number | undefined {
    const place = this.rows.placeOf(id)
    return place !== undefined && this.has(place) ? this.evidence(place) : undefined
  }

  /** Also 0 for an unknown row. */
  ownOf(id: string): number {
    const place = this.rows.placeOf(id)
    return place === undefined ? 0 : this.own[place]!
  }

  /** @returns a test for rows with a value from this step; undefined when the step gave none */
  givenBy(step: string): ((place: number) => boolean) | undefined {
    const columns = this.#columns.filter(column => column.step === step)
    const before = this.#before.map(list => list.some(given => given.step === step))
    if (columns.length === 0 && !before.includes(true)) return undefined
    return place => before[place] === true || columns.some(({ values }) => !Number.isNaN(values[place]))
  }

  contributions(place: number): Contribution[] {
    const list = [...(this.#before[place] ?? [])]
    for (const { step, effect, values } of this.#columns) {
      const value = values[place]!
      if (!Number.isNaN(value)) list.push({ step, effect, value })
    }
    return list
  }

  /** Adds the values of channels; they are the rows' own evidence. */
  find(columns: readonly Column[]): void {
    for (const { step, values } of columns) this.book(step, 'add', values)
    for (let place = 0; place < this.rows.count; place++) {
      this.own[place] = this.evidence(place)
      this.#candidates[place] = this.#given[place]!
    }
  }

  /** Adds candidates without evidence of their own. */
  widen(places: readonly number[]): void {
    for (const place of places) this.#candidates[place] = 1
  }

  /**
   * Additions make new candidates (a neighbour without a matching word); factors only weigh known ones.
   * @param values owned by the table from here on
   */
  book(step: string, effect: Effect, values: Float64Array | ReadonlyMap<string, number>): void {
    const byPlace = values instanceof Float64Array ? values : this.#byPlace(effect, values)
    for (let place = 0; place < this.rows.count; place++) {
      const value = byPlace[place]!
      if (Number.isNaN(value)) continue
      if (effect === 'add' || this.has(place)) this.#give(place, effect, value)
      else byPlace[place] = Number.NaN
    }
    this.#columns.push({ step, effect, values: byPlace })
  }

  #byPlace(effect: Effect, values: ReadonlyMap<string, number>): Float64Array {
    const byPlace = noValues(this.rows)
    const { rows } = this
    for (const [id, value] of values) {
      const place = effect === 'add' && rows.placeFor ? rows.placeFor(id) : rows.placeOf(id)
      if (place !== undefined) byPlace[place] = value
    }
    return byPlace
  }

  #give(place: number, effect: Effect, value: number): void {
    if (effect === 'multiply') this.#factors[place]! *= value
    else {
      this.#sums[place]! += value
      this.#given[place] = 1
    }
  }
}
