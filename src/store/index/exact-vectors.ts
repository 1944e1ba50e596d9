import type { RowIds } from './row-ids.js'

/** Reads canonical vectors; ids without one are left out of the map. */
export type LoadVectors = (ids: readonly string[]) => Promise<ReadonlyMap<string, Float32Array>>

/** A canonical vector and the sum of its squares. */
export interface ExactVector {
  vector: Float32Array
  squares: number
}

/** About 6 MB of vectors of 384 dimensions: what a session asks for lies close together. */
const maxNumbers = 1_500_000

/** The canonical vectors of the rows that were scored last; the others are read. */
export class ExactVectors {
  #known = new Map<number, ExactVector>()
  #numbers = 0
  #changes = 0

  constructor(
    readonly ids: RowIds,
    readonly load: LoadVectors,
  ) {}

  /** Vectors by row; rows without one are left out. */
  async of(rows: readonly number[]): Promise<ReadonlyMap<number, ExactVector>> {
    const found = new Map<number, ExactVector>()
    const missing: number[] = []
    for (const row of rows) {
      const known = this.#known.get(row)
      if (!known) missing.push(row)
      else {
        found.set(row, known)
        // A map keeps its entries in the order they came: the one used longest ago is the first.
        this.#known.delete(row)
        this.#known.set(row, known)
      }
    }
    if (missing.length > 0) await this.#read(missing, found)
    return found
  }

  /** The row has another vector now, or none. */
  forget(row: number): void {
    this.#changes++
    const known = this.#known.get(row)
    if (known) this.#drop(row, known)
  }

  get bytes(): number {
    return this.#numbers * 4
  }

  async #read(rows: readonly number[], found: Map<number, ExactVector>): Promise<void> {
    const changes = this.#changes
    const read = await this.load(rows.map(row => this.ids.of(row)))
    for (const row of rows) {
      const vector = read.get(this.ids.of(row))
      if (!vector) continue
      const exact = { vector, squares: productOf(vector, vector) }
      found.set(row, exact)
      // What changed meanwhile may have been read as it was before.
      if (changes === this.#changes && !this.#known.has(row)) this.#keep(row, exact)
    }
  }

  #keep(row: number, exact: ExactVector): void {
    this.#known.set(row, exact)
    this.#numbers += exact.vector.length
    for (const [oldest, known] of this.#known) {
      if (this.#numbers <= maxNumbers) return
      this.#drop(oldest, known)
    }
  }

  #drop(row: number, { vector }: ExactVector): void {
    this.#known.delete(row)
    this.#numbers -= vector.length
  }
}

/** Cosine of two vectors of one length; 0 when one is all zeros. */
export function cosine(a: ExactVector, b: ExactVector): number {
  return a.squares > 0 && b.squares > 0 ? productOf(a.vector, b.vector) / Math.sqrt(a.squares * b.squares) : 0
}

export function productOf(a: Float32Array, b: Float32Array): number {
  let product = 0
  for (let i = 0; i < a.length; i++) product += a[i]! * b[i]!
  return product
}
