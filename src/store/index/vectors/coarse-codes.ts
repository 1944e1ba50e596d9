import { growArray } from '../arrays/growable.js'
import {
  blockRows,
  type CoarseKernel,
  type CodePlace,
  plainCoarseKernel,
  type Quantiser,
  simdCoarseKernel,
} from './coarse-kernel.js'
import { Rotation } from './rotation-kernel.js'

/** Two dimensions of two bits each are a nibble. */
const groupSize = 2
const maxSum = 65_535
/** Adding this and truncating rounds a non-negative number like `Math.round`, without a branch. */
const belowHalf = 0.5 - 2 ** -54
/** Four table entries are summed in one byte. */
const maxEntry = 63

/**
 * Reconstruction levels and threshold of the optimal two-bit quantiser for normally distributed numbers of
 * variance 1 (Lloyd and Max).
 */
const quantiser: Quantiser = { inner: 0.4528, outer: 1.51, outerFrom: 0.9816 }
const levels = [-quantiser.outer, -quantiser.inner, quantiser.inner, quantiser.outer] as const
/** Standard deviation of a sum for a unit query, caused by the quantisation. */
const noise = 0.33

/** A query as a table: the contribution of each nibble to a row's sum. */
export interface CoarseQuery {
  table: Uint8Array
  /** A sum becomes an estimate by `(sum * step - base) * factor`. */
  step: number
  base: number
}

/** A range of rows: `first` is a multiple of `blockRows`, `count` at most `coarseKernelRows`. */
export interface ScanStep {
  first: number
  count: number
}

/**
 * Two bits per number of the rotated vectors: a quarter of the quantised rows, and enough to select the rows
 * that a query must score. Rotated numbers are nearly normally distributed, and their quantisation error is
 * nearly independent of the query, so estimated cosines are unbiased with a known error.
 */
export class CoarseCodes {
  /** Factor from sum to cosine by row; 0 for zero vectors and rows without a code. */
  factors = new Float32Array(64)
  readonly #groups: number
  readonly #kernel: CoarseKernel
  readonly #rotation: Rotation

  /** @param stride numbers per row, a multiple of 32, at most 8,192. */
  constructor(
    readonly stride: number,
    options: { simd?: boolean | undefined } = {},
  ) {
    this.#groups = stride / groupSize
    const simd = options.simd === false ? undefined : simdCoarseKernel(this.#groups)
    this.#kernel = simd ?? plainCoarseKernel(this.#groups)
    this.#rotation = new Rotation(stride, options)
  }

  /** Call `reserve` before. @param vector at most `stride` numbers. */
  set(row: number, vector: Float32Array): void {
    this.#kernel.numbers.set(this.#turn(vector))
    const product = this.#kernel.encode(this.#placeOf(row), quantiser)
    this.factors[row] = product > 0 ? Math.sqrt(this.stride) / product : 0
  }

  reserve(rows: number): void {
    this.#kernel.reserve(rows)
    this.factors = growArray(this.factors, rows)
  }

  queryOf(vector: Float32Array): CoarseQuery {
    const unit = this.#turn(vector)
    const scale = 1 / Math.sqrt(this.stride)
    for (let i = 0; i < unit.length; i++) unit[i]! *= scale
    return tableOf(unit)
  }

  /** Fills one step of `sums`, by row. */
  scan({ table }: CoarseQuery, { first, count }: ScanStep, sums: Uint16Array): void {
    const kernel = this.#kernel
    kernel.table.set(table)
    kernel.scan(first, wholeBlocks(count))
    sums.set(kernel.sums.subarray(0, count), first)
  }

  /**
   * Rows of a scanned step whose cosine could reach `floor` if the estimate were too low by this many
   * standard deviations. Returned as offsets from `first`, valid until the next call.
   */
  reaching(
    { step, base }: CoarseQuery,
    sums: Uint16Array,
    { first, count, floor, deviations }: ScanStep & { floor: number; deviations: number },
  ): Uint32Array {
    const kernel = this.#kernel
    const whole = wholeBlocks(count)
    kernel.sums.set(sums.subarray(first, first + count))
    kernel.factors.set(this.factors.subarray(first, first + count))
    // Rows after the last one must never match.
    kernel.factors.fill(Number.NaN, count, whole)
    const found = kernel.sift(whole, (deviations * noise - base) / step, floor / step)
    return kernel.places.subarray(0, found)
  }

  /** The estimated cosine for a row's sum. */
  estimate({ step, base }: CoarseQuery, row: number, sum: number): number {
    return (sum * step - base) * this.factors[row]!
  }

  /** Bytes of a row in `packed`. */
  get packedBytes(): number {
    return this.#groups / 2
  }

  /** Copies the codes of these rows in sequence (snapshots); zeros for rows not marked 1 in `holds`. */
  packed(rows: Uint32Array, holds: Uint8Array): Buffer {
    const { codes } = this.#kernel
    const packed = Buffer.alloc(rows.length * this.packedBytes)
    for (const [i, row] of rows.entries()) {
      if (holds[row] !== 1) continue
      const { start, shift } = this.#placeOf(row)
      const end = (i + 1) * this.packedBytes
      for (let to = i * this.packedBytes, at = start; to < end; to++, at += 32)
        packed[to] = ((codes[at]! >> shift) & 15) | (((codes[at + 16]! >> shift) & 15) << 4)
    }
    return packed
  }

  /** Restores packed codes; set `factors` afterwards. Row 0 is skipped. Call `reserve` before. */
  unpack(rows: ArrayLike<number>, packed: Uint8Array): void {
    const { codes } = this.#kernel
    for (let i = 0; i < rows.length; i++) {
      if (rows[i] === 0) continue
      const { start, shift } = this.#placeOf(rows[i]!)
      const kept = 0xf0 >> shift
      const end = (i + 1) * this.packedBytes
      for (let from = i * this.packedBytes, at = start; from < end; from++, at += 32) {
        codes[at] = (codes[at]! & kept) | ((packed[from]! & 15) << shift)
        codes[at + 16] = (codes[at + 16]! & kept) | ((packed[from]! >> 4) << shift)
      }
    }
  }

  /** Bytes of a block of `blockRows` codes. */
  get blockBytes(): number {
    return this.#groups * 16
  }

  /** The codes of whole blocks from row `first`, a multiple of `blockRows` (snapshots). */
  blocksAt(first: number, bytes: number): Uint8Array {
    const start = (first * this.#groups) / 2
    return this.#kernel.codes.subarray(start, start + bytes)
  }

  /**
   * Builds whole blocks as if these rows were numbered from 0 (snapshots); without codes of rows not marked 1
   * in `holds`.
   */
  blocksOf(rows: Uint32Array, holds: Uint8Array): Buffer {
    const blocks = Buffer.alloc(Math.ceil(rows.length / blockRows) * this.blockBytes)
    for (let first = 0; first < rows.length; first += blockRows) {
      const some = rows.subarray(first, first + blockRows)
      const start = (first * this.#groups) / 2
      const isWhole = some[0]! % blockRows === 0 && some.length === blockRows
      if (isWhole && some.every((row, lane) => row === some[0]! + lane && holds[row] === 1))
        blocks.set(this.blocksAt(some[0]!, this.blockBytes), start)
      else
        for (const [lane, row] of some.entries()) if (holds[row] === 1) this.#copy(row, blocks, first + lane)
    }
    return blocks
  }

  get bytes(): number {
    return this.#kernel.codes.byteLength + this.factors.byteLength
  }

  /** Copies a row's code into blocks at row `to`, which must be empty there. */
  #copy(row: number, blocks: Uint8Array, to: number): void {
    const { codes } = this.#kernel
    const from = this.#placeOf(row)
    const into = this.#placeOf(to)
    for (let at = 0; at < this.blockBytes; at += 16)
      blocks[into.start + at]! |= ((codes[from.start + at]! >> from.shift) & 15) << into.shift
  }

  /** The byte of a row's first group and its nibble in these bytes; the next group is 16 bytes further. */
  #placeOf(row: number): CodePlace {
    const lane = row % blockRows
    return { start: ((row - lane) * this.#groups) / 2 + (lane % 16), shift: lane < 16 ? 0 : 4 }
  }

  /** The rotated vector scaled to variance 1, valid until the next call; zeros for a zero vector. */
  #turn(vector: Float32Array): Float64Array {
    const turned = this.#rotation.turn(vector)
    let squares = 0
    for (let i = 0; i < turned.length; i++) squares += turned[i]! * turned[i]!
    if (!(squares > 0 && Number.isFinite(squares))) return turned.fill(0)
    const scale = Math.sqrt(this.stride / squares)
    for (let i = 0; i < turned.length; i++) turned[i]! *= scale
    return turned
  }
}

const wholeBlocks = (rows: number) => Math.ceil(rows / blockRows) * blockRows

/** @param unit a rotated vector of length 1, or zeros. */
function tableOf(unit: Float64Array): CoarseQuery {
  const groups = unit.length / groupSize
  const largest = Math.min(maxEntry, Math.floor(maxSum / groups))
  const outermost = levels[3]
  let base = 0
  let furthest = 0
  for (let i = 0; i < unit.length; i += groupSize) {
    const reach = outermost * (Math.abs(unit[i]!) + Math.abs(unit[i + 1]!))
    base += reach
    furthest = Math.max(furthest, reach)
  }
  const step = (2 * furthest) / largest || 1
  const table = new Uint8Array(groups * 16)
  for (let group = 0; group < groups; group++) {
    const a = unit[group * groupSize]!
    const b = unit[group * groupSize + 1]!
    const reach = outermost * (Math.abs(a) + Math.abs(b))
    for (let nibble = 0; nibble < 16; nibble++)
      table[group * 16 + nibble] =
        (reach + a * levels[nibble & 3]! + b * levels[nibble >> 2]!) / step + belowHalf
  }
  return { table, step, base }
}
