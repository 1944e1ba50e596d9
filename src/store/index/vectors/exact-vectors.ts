import { growArray } from '../arrays/growable.js'
import type { RowIds } from '../rows/row-ids.js'

/** Loads canonical vectors; ids without one are missing in the map. */
export type LoadVectors = (ids: readonly string[]) => Promise<ReadonlyMap<string, Float32Array>>

/** 6 to 9 MB: nearly 4,000 vectors of 384 dimensions. Queries of one session hit similar rows. */
const maxNumbers = 1_500_000

/**
 * Exact cosines. Recently loaded vectors are cached in a ring buffer, which is cheap even if no row repeats.
 */
export class ExactVectors {
  #slotOf = new Map<number, number>()
  /** Row by slot; 0 if the row's vector changed. */
  #rows = new Uint32Array(64)
  #squares = new Float64Array(64)
  #numbers = new Float32Array(64)
  #next = 0
  #changes = 0

  /** @param dimensions length of every vector and query. */
  constructor(
    readonly dimensions: number,
    readonly ids: RowIds,
    readonly load: LoadVectors,
  ) {}

  /** Cosines of rows with the query; skips rows without a vector of this length. */
  async cosines(query: Float32Array, rows: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const cosines = new Map<number, number>()
    const querySquares = productOf(query, query, 0)
    const missing: number[] = []
    for (const row of rows) {
      const slot = this.#slotOf.get(row)
      if (slot === undefined) missing.push(row)
      else {
        const product = productOf(query, this.#numbers, slot * this.dimensions)
        cosines.set(row, cosineOf(product, querySquares, this.#squares[slot]!))
      }
    }
    if (missing.length === 0) return cosines
    const changes = this.#changes
    const read = await this.load(missing.map(row => this.ids.of(row)))
    for (const row of missing) {
      const vector = read.get(this.ids.of(row))
      if (vector?.length !== this.dimensions) continue
      const squares = productOf(vector, vector, 0)
      cosines.set(row, cosineOf(productOf(query, vector, 0), querySquares, squares))
      // If vectors changed during the load, this one may be outdated and is not cached.
      if (changes === this.#changes) this.#keep(row, vector, squares)
    }
    return cosines
  }

  /** Call when a row's vector was replaced or removed. */
  forget(row: number): void {
    this.#changes++
    const slot = this.#slotOf.get(row)
    if (slot === undefined) return
    this.#slotOf.delete(row)
    this.#rows[slot] = 0
  }

  get bytes(): number {
    return this.#numbers.byteLength + this.#squares.byteLength + this.#rows.byteLength
  }

  #keep(row: number, vector: Float32Array, squares: number): void {
    if (this.#slotOf.has(row)) return
    const slot = this.#next
    this.#next = (slot + 1) % Math.max(1, Math.floor(maxNumbers / this.dimensions))
    this.#rows = growArray(this.#rows, slot + 1)
    this.#squares = growArray(this.#squares, slot + 1)
    this.#numbers = growArray(this.#numbers, (slot + 1) * this.dimensions)
    this.#slotOf.delete(this.#rows[slot]!)
    this.#slotOf.set(row, slot)
    this.#rows[slot] = row
    this.#squares[slot] = squares
    this.#numbers.set(vector, slot * this.dimensions)
  }
}

/** 0 if either is a zero vector. */
function cosineOf(product: number, squaresA: number, squaresB: number): number {
  return squaresA > 0 && squaresB > 0 ? product / Math.sqrt(squaresA * squaresB) : 0
}

/** Dot product of `a` and the numbers of `b` from `start` on. */
function productOf(a: Float32Array, b: Float32Array, start: number): number {
  let product = 0
  for (let i = 0; i < a.length; i++) product += a[i]! * b[start + i]!
  return product
}
