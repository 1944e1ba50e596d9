import type { Breather } from '../../../lib/concurrency/loop-budget.js'
import { BufferPool, growArray } from '../arrays/growable.js'
import { type RowScores, TopRows } from '../arrays/top-rows.js'
import type { RowMask } from '../rows/row-masks.js'
import { CoarseCodes, type CoarseQuery, type ScanStep } from './coarse-codes.js'
import { coarseKernelRows } from './coarse-kernel.js'
import { type DotKernel, kernelRows, plainDotKernel, simdDotKernel } from './dot-kernel.js'

/** Largest number of a quantised query; 127 times it times 8,192 dimensions still fits 32 bits. */
const queryRange = 2047
const rowRange = 127
const maxDimensions = 8192
const lanes = 32

/** Up to this many rows are all scored; with more, the coarse codes select some. */
const fewRows = 8192
/** Scanning the codes of all rows pays unless fewer than this share match a filter. */
const fewShare = 0.08

/** Rows selected by estimate, as a multiple of the wanted rows, to find a lower bound of the best scores. */
const likelyShare = 1.5
/** Rows of the first step of a scan: all are scored, and they provide the floor for the next steps. */
const firstScanRows = 1024
/** Rows are scored if their estimate may be too low by this many standard deviations. */
const deviations = 1.5

/** A query quantised like rows, and its factor from sum to cosine, together with a row's scale. */
interface RoundedQuery {
  numbers: Int16Array
  scale: number
}

/** A scan over the codes of all rows. */
interface CoarseScan {
  query: CoarseQuery
  /** By row. */
  sums: Uint16Array
  mask: RowMask
}

/** One vector per row, as signed bytes with a scale and as a coarse code, with scans over them. */
export class VectorStore {
  readonly stride: number
  readonly #kernel: DotKernel
  readonly coarse: CoarseCodes
  readonly #sums = new BufferPool(length => new Uint16Array(length))
  /** Factor from sum to cosine, together with the query's scale; 0 for a zero vector. */
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
    this.coarse = new CoarseCodes(this.stride, options)
  }

  /** @throws RangeError when the length is not `dimensions`. */
  set(row: number, vector: Float32Array): void {
    this.checkLength(vector)
    this.reserve(row + 1)
    const kernel = this.#kernel
    const { factor, scale } = quantiserOf(vector, rowRange)
    if (factor === 0) kernel.vector.fill(0)
    else kernel.vector.set(vector)
    kernel.quantise(row, factor)
    this.scales[row] = scale
    this.coarse.set(row, vector)
    this.#admit(row)
  }

  /** All data per row: arrays with `width` numbers for each (snapshots). */
  get rowArrays(): { array: Int8Array | Uint8Array | Float32Array; width: number }[] {
    return [
      { array: this.#kernel.rows, width: this.stride },
      { array: this.scales, width: 1 },
      { array: this.present, width: 1 },
      { array: this.coarse.factors, width: 1 },
    ]
  }

  /** Recounts rows from `present` (snapshots). */
  recount(): void {
    const { present } = this
    this.end = present.lastIndexOf(1) + 1
    this.count = 0
    for (let row = 0; row < this.end; row++) this.count += present[row]!
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

  /** The `depth` rows nearest by cosine in `mask`: [row, cosine], best first. */
  async search(vector: Float32Array, depth: number, mask: RowMask, budget: Breather): Promise<RowScores> {
    this.checkLength(vector)
    const query = this.#rounded(vector)
    const top = new TopRows(depth)
    if (mask.size < Math.max(fewRows, this.end * fewShare))
      for (const rows of inSteps(this.#passing(mask))) {
        await budget.breathe()
        this.#look(query, rows, top)
      }
    else {
      const spare = this.#sums.take(this.end)
      const scan = { query: this.coarse.queryOf(vector), sums: spare.subarray(0, this.end), mask }
      const likely = await this.#likeliest(scan, Math.ceil(depth * likelyShare), budget)
      const best = new TopRows(depth)
      for (const rows of inSteps(likely)) this.#look(query, rows, best)
      best.prune()
      for (const step of scanSteps(scan.sums.length, coarseKernelRows)) {
        await budget.breathe()
        this.#look(query, this.#reaching(scan, { ...step, floor: best.floor, deviations }), top)
      }
      this.#sums.give(spare)
    }
    return top.sorted()
  }

  get bytes(): number {
    const rows = this.#kernel.rows.byteLength + this.scales.byteLength + this.present.byteLength
    return rows + this.coarse.bytes + this.#sums.length * Uint16Array.BYTES_PER_ELEMENT
  }

  #rounded(vector: Float32Array): RoundedQuery {
    const numbers = new Int16Array(this.stride)
    const { factor, scale } = quantiserOf(vector, queryRange)
    if (factor > 0) for (let i = 0; i < vector.length; i++) numbers[i] = Math.round(vector[i]! * factor)
    return { numbers, scale }
  }

  /** The `depth` rows with the highest estimates, unordered; fills the sums of the scan. */
  async #likeliest(scan: CoarseScan, depth: number, budget: Breather): Promise<Uint32Array> {
    const { query, sums } = scan
    const top = new TopRows(depth)
    for (const step of scanSteps(sums.length, firstScanRows)) {
      await budget.breathe()
      this.coarse.scan(query, step, sums)
      const rows = this.#reaching(scan, { ...step, floor: top.floor, deviations: 0 })
      for (let i = 0; i < rows.length; i++)
        top.push(rows[i]!, this.coarse.estimate(query, rows[i]!, sums[rows[i]!]!))
      top.prune()
    }
    return top.rows
  }

  /** The rows of one scan step that may reach `floor`; valid until the next call. */
  #reaching(
    { query, sums, mask }: CoarseScan,
    bar: ScanStep & { floor: number; deviations: number },
  ): Uint32Array {
    const { present } = this
    const { bytes } = mask
    const places = this.coarse.reaching(query, sums, bar)
    let kept = 0
    for (let i = 0; i < places.length; i++) {
      const row = bar.first + places[i]!
      if (bytes[row] === 1 && present[row] === 1) places[kept++] = row
    }
    return places.subarray(0, kept)
  }

  /** Scores these rows, at most `kernelRows`, by their quantised vectors. */
  #look({ numbers, scale }: RoundedQuery, rows: Uint32Array, top: TopRows): void {
    const kernel = this.#kernel
    kernel.query.set(numbers)
    kernel.numbers.set(rows)
    kernel.gather(rows.length)
    const { results } = kernel
    const { scales } = this
    let { floor } = top
    for (let i = 0; i < rows.length; i++) {
      const score = results[i]! * scale * scales[rows[i]!]!
      if (score < floor) continue
      top.push(rows[i]!, score)
      floor = top.floor
    }
  }

  #passing(mask: RowMask): Uint32Array {
    const rows = new Uint32Array(Math.min(mask.size, this.end))
    let count = 0
    for (let row = 0; row < this.end; row++)
      if (mask.bytes[row] === 1 && this.present[row] === 1) rows[count++] = row
    return rows.subarray(0, count)
  }

  /** Makes room for row numbers below `rows`. */
  reserve(rows: number): void {
    this.#kernel.reserve(rows)
    this.coarse.reserve(rows)
    this.scales = growArray(this.scales, rows)
    this.present = growArray(this.present, rows)
  }

  #admit(row: number): void {
    if (!this.has(row)) this.count++
    this.present[row] = 1
    this.end = Math.max(this.end, row + 1)
  }
}

/** Steps of a scan over `end` rows, growing in size. */
function* scanSteps(end: number, firstRows: number): Generator<ScanStep> {
  let rows = firstRows
  for (let first = 0; first < end; first += rows) {
    if (first > 0) rows = Math.min(rows * 2, coarseKernelRows)
    yield { first, count: Math.min(rows, end - first) }
  }
}

function* inSteps(rows: Uint32Array): Generator<Uint32Array> {
  for (let from = 0; from < rows.length; from += kernelRows) yield rows.subarray(from, from + kernelRows)
}

/**
 * The factor that limits a vector's numbers to `range`, and the scale that turns a product of two quantised
 * vectors into a cosine; both are 0 for a zero vector.
 */
function quantiserOf(vector: Float32Array, range: number): { factor: number; scale: number } {
  let largest = 0
  let squares = 0
  for (let i = 0; i < vector.length; i++) {
    const value = vector[i]!
    largest = Math.max(largest, Math.abs(value))
    squares += value * value
  }
  if (!(largest > 0 && Number.isFinite(squares))) return { factor: 0, scale: 0 }
  const factor = range / largest
  return { factor, scale: 1 / (factor * Math.sqrt(squares)) }
}
