import type { Candidate, Contribution, Effect } from './evidence.js'

/** Values by place, NaN where there is none; by id where they are few; undefined where there are none. */
export type Values = Float64Array | ReadonlyMap<string, number> | undefined

/** What one channel or step gives to each row, by place; NaN for nothing. */
export interface Column {
  step: string
  effect: Effect
  values: Float64Array
}

/** The rows of a ranking by their places, 0 to before `count`. */
export interface RankedPlaces {
  /** Grows up to `capacity`. */
  readonly count: number
  readonly capacity: number
  id(place: number): string
  placeOf(id: string): number | undefined
  /** The place of an id, a new one if it has none; absent where nothing comes in any more. */
  placeFor?(id: string): number
}

/** @returns values for so many rows, none yet */
export function noValues({ capacity }: Pick<RankedPlaces, 'capacity'>): Float64Array {
  return new Float64Array(capacity).fill(Number.NaN)
}

/**
 * What the rows of a ranking were given so far: a column for each channel and step, and for each row the sum of its
 * additions and the product of its factors. Nothing is kept by row until somebody asks for one.
 */
export class EvidenceTable {
  readonly #columns: Column[] = []
  readonly #before: readonly (readonly Contribution[])[]
  readonly #sums: Float64Array
  readonly #factors: Float64Array
  readonly #given: Uint8Array
  readonly #candidates: Uint8Array
  /** Evidence from the channels alone, by place; 0 for a row that is only next to a hit. */
  readonly own: Float64Array

  /** @param before rows of a ranking that this one goes on with, by place */
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

  /** Whether a channel or step gave anything to a row. */
  has(place: number): boolean {
    return this.#given[place] === 1
  }

  /** Whether a row was found, or stands beside one that was. */
  isCandidate(place: number): boolean {
    return this.#candidates[place] === 1
  }

  /** The sum of additions times the product of factors. */
  evidence(place: number): number {
    return Math.max(0, this.#sums[place]! * this.#factors[place]!)
  }

  /** Undefined for a row that nothing was given to. */
  evidenceOf(id: string): number | undefined {
    const place = this.rows.placeOf(id)
    return place !== undefined && this.has(place) ? this.evidence(place) : undefined
  }

  /** 0 for a row that is unknown too. */
  ownOf(id: string): number {
    const place = this.rows.placeOf(id)
    return place === undefined ? 0 : this.own[place]!
  }

  /** @returns which rows a channel or step gave something to; undefined where it gave nothing to any */
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

  /** Takes what channels found; its evidence is what these rows have of their own. */
  find(columns: readonly Column[]): void {
    for (const { step, values } of columns) this.book(step, 'add', values)
    for (let place = 0; place < this.rows.count; place++) {
      this.own[place] = this.evidence(place)
      this.#candidates[place] = this.#given[place]!
    }
  }

  /** Takes rows in that have no evidence of their own. */
  widen(places: readonly number[]): void {
    for (const place of places) this.#candidates[place] = 1
  }

  /**
   * Additions make new candidates (a neighbour without a matching word); factors only weigh known ones.
   * @param values are its own from then on
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
