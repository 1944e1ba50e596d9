import { type DotKernel, kernelRows, plainDotKernel, simdDotKernel } from './dot-kernel.js'
import { grown } from './growable.js'
import type { LoopBudget } from './loop-budget.js'
import type { RowMask } from './row-masks.js'
import { SharedScan } from './shared-scan.js'
import { TopRows } from './top-rows.js'

/** Largest number of a quantised query; 127 times it times 8,192 dimensions still fits 32 bits. */
const queryRange = 2047
const rowRange = 127
const maxDimensions = 8192
const lanes = 32

/** Reading rows one by one costs more than reading all in a row unless fewer than this share pass a filter. */
const gatherShare = 0.6

/** One search: what it looks for, and what it has found. */
interface Found {
  top: TopRows
  /** The query's share in turning sums into cosines. */
  scale: number
  mask: RowMask
}

/** One vector per row, as signed bytes with a scale each, and exact scans over them. */
export class VectorStore {
  readonly stride: number
  readonly #kernel: DotKernel
  readonly #scan: SharedScan
  /** Turns a row's sum into a cosine, together with the query's scale; 0 for a vector of zeros. */
  scales = new Float32Array(64)
  present = new Uint8Array(64)
  count = 0
  /** One more than the highest row with a vector. */
  end = 0

  /** @throws RangeError unless `dimensions` is 1 to 8,192. */
  constructor(
    readonly dimensions: number,
    options: { simd?: boolean } = {},
  ) {
    if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > maxDimensions) {
      throw new RangeError(`vectors must have 1 to ${maxDimensions} dimensions, not ${dimensions}`)
    }
    this.stride = Math.ceil(dimensions / lanes) * lanes
    const simd = options.simd === false ? undefined : simdDotKernel(this.stride)
    this.#kernel = simd ?? plainDotKernel(this.stride)
    this.#scan = new SharedScan(this.#kernel, () => this)
  }

  /** @throws RangeError when the length is not `dimensions`. */
  set(row: number, vector: Float32Array): void {
    this.checkLength(vector)
    this.reserve(row + 1)
    const bytes = this.#kernel.rows.subarray(row * this.stride, (row + 1) * this.stride)
    this.scales[row] = quantise(vector, bytes, rowRange)
    this.#admit(row)
  }

  /** Everything that is kept of a row: arrays of so many numbers for each (snapshots). */
  get rowArrays(): { array: Int8Array | Uint8Array | Float32Array; width: number }[] {
    return [
      { array: this.#kernel.rows, width: this.stride },
      { array: this.scales, width: 1 },
      { array: this.present, width: 1 },
    ]
  }

  /** Counts again what `present` says (snapshots). */
  recount(): void {
    for (let row = 0; row < this.present.length; row++) {
      if (!this.has(row)) continue
      this.count++
      this.end = row + 1
    }
  }

  has(row: number): boolean {
    return this.present[row] === 1
  }

  remove(row: number): void {
    if (!this.has(row)) return
    this.present[row] = 0
    this.count--
  }

  /** @throws RangeError when the length is not `dimensions`. */
  checkLength(vector: Float32Array): void {
    if (vector.length === this.dimensions) return
    throw new RangeError(`this index holds vectors of ${this.dimensions} dimensions, not ${vector.length}`)
  }

  /** The `depth` rows nearest by cosine among those that `mask` lets through: [row, cosine], best first. */
  async search(
    vector: Float32Array,
    depth: number,
    mask: RowMask,
    budget: LoopBudget,
  ): Promise<[number, number][]> {
    this.checkLength(vector)
    const query = new Int16Array(this.stride)
    const scale = quantise(vector, query, queryRange)
    const found: Found = { top: new TopRows(depth), scale, mask }
    const rows = mask.size < this.end * gatherShare ? this.#passing(mask) : undefined
    if (rows) await this.#gather(query, rows, found, budget)
    else {
      await this.#scan.ride(query, (first, count) => this.#collectBlock(found, first, count), budget)
    }
    return found.top.sorted()
  }

  get bytes(): number {
    return this.#kernel.rows.byteLength + this.scales.byteLength + this.present.byteLength
  }

  async #gather(query: Int16Array, rows: Uint32Array, found: Found, budget: LoopBudget): Promise<void> {
    for (let from = 0; from < rows.length; from += kernelRows) {
      await budget.breathe()
      const count = Math.min(kernelRows, rows.length - from)
      this.#kernel.query.set(query)
      this.#kernel.numbers.set(rows.subarray(from, from + count))
      this.#kernel.gather(count)
      this.#collect(found, rows.subarray(from, from + count))
    }
  }

  /** Takes the results of `count` rows from `first` on. */
  #collectBlock(found: Found, first: number, count: number): void {
    const { results, places } = this.#kernel
    const hits = this.#kernel.sift(count, barOf(found))
    for (let i = 0; i < hits; i++) this.#take(found, first + places[i]!, results[places[i]!]!)
  }

  /** Takes the results of these rows. */
  #collect(found: Found, rows: Uint32Array): void {
    const { results } = this.#kernel
    for (let i = 0; i < rows.length; i++) this.#take(found, rows[i]!, results[i]!)
  }

  #take({ top, scale, mask }: Found, row: number, sum: number): void {
    const score = sum * scale * this.scales[row]!
    if (score >= top.floor && mask.bytes[row] === 1 && this.present[row] === 1) top.push(row, score)
  }

  #passing(mask: RowMask): Uint32Array {
    const rows = new Uint32Array(Math.min(mask.size, this.end))
    let count = 0
    for (let row = 0; row < this.end; row++)
      if (mask.bytes[row] === 1 && this.present[row] === 1) rows[count++] = row
    return rows.subarray(0, count)
  }

  /** Makes room for rows of numbers below `rows`. */
  reserve(rows: number): void {
    this.#kernel.reserve(rows)
    this.scales = grown(this.scales, rows)
    this.present = grown(this.present, rows)
  }

  #admit(row: number): void {
    if (!this.has(row)) this.count++
    this.present[row] = 1
    this.end = Math.max(this.end, row + 1)
  }
}

/** What a row's sum times its scale has to reach to be worth a closer look: single precision may be off by this much. */
function barOf({ top, scale }: Found): number {
  const bar = scale > 0 ? top.floor / scale : -Infinity
  return bar - Math.abs(bar) * 1e-6
}

/**
 * Rounds a vector to whole numbers of -`range` to `range`.
 * @returns what turns the product of two quantised vectors into a cosine, when multiplied for both.
 */
function quantise(vector: Float32Array, into: Int8Array | Int16Array, range: number): number {
  let largest = 0
  let squares = 0
  for (const value of vector) {
    largest = Math.max(largest, Math.abs(value))
    squares += value * value
  }
  if (!(largest > 0) || !Number.isFinite(squares)) {
    into.fill(0)
    return 0
  }
  const factor = range / largest
  for (let i = 0; i < vector.length; i++) into[i] = Math.round(vector[i]! * factor)
  return 1 / (factor * Math.sqrt(squares))
}
