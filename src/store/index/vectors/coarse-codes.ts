import { grown } from '../arrays/growable.js'
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
/** Added to a number that is not negative and then cut off, it rounds as `Math.round` does, but without a branch. */
const belowHalf = 0.5 - 2 ** -54
/** Four entries of the query's table are summed in a byte. */
const maxEntry = 63

/**
 * What the four codes of a number stand for, and where the outer ones begin: the quantiser of two bits that loses
 * least of normally distributed numbers of variance 1 (Lloyd and Max).
 */
const quantiser: Quantiser = { inner: 0.4528, outer: 1.51, outerFrom: 0.9816 }
const levels = [-quantiser.outer, -quantiser.inner, quantiser.inner, quantiser.outer] as const
/** Standard deviation of a sum, as to the query a unit vector, from what the codes lose. */
const noise = 0.33

/** A query as a table: what each nibble of a code adds to a row's sum. */
export interface CoarseQuery {
  table: Uint8Array
  /** Sums become estimates by `(sum * step - base) * factor`. */
  step: number
  base: number
}

/** Some rows: `first` is a multiple of `blockRows`, `count` at most `coarseKernelRows`. */
export interface ScanStep {
  first: number
  count: number
}

/**
 * Two bits of every number of the rotated vectors: a quarter of the quantised rows, and enough to tell which of them
 * a query must look at. Rotated, the numbers of any vector are all but normally distributed, and what the codes lose
 * is as good as independent of the query, so that estimates of cosines are unbiased and their error is known.
 */
export class CoarseCodes {
  /** What turns a sum into a cosine, by row; 0 for zeros and rows without a code. */
  factors = new Float32Array(64)
  readonly #groups: number
  readonly #kernel: CoarseKernel
  readonly #rotation: Rotation

  /** @param stride of a row's numbers, a multiple of 32, at most 8,192. */
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
    this.factors = grown(this.factors, rows)
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
   * Of one step's rows, whose `sums` a scan filled, those whose cosine reaches `floor` if its estimate is too low by so
   * many standard deviations: their distances from `first`, valid until the next call.
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
    // Rows behind the last one never reach any bar.
    kernel.factors.fill(Number.NaN, count, whole)
    const found = kernel.sift(whole, (deviations * noise - base) / step, floor / step)
    return kernel.places.subarray(0, found)
  }

  /** The cosine that a row's sum stands for. */
  estimate({ step, base }: CoarseQuery, row: number, sum: number): number {
    return (sum * step - base) * this.factors[row]!
  }

  /** Bytes that `packed` takes for a row. */
  get packedBytes(): number {
    return this.#groups / 2
  }

  /** The codes of these rows one after another (snapshots); zeros for those that `holds` does not mark with 1. */
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

  /** Puts packed codes back, which `factors` must follow; row 0 takes none. There must be room for the rows. */
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

  /** Bytes of a block of codes: those of `blockRows` rows. */
  get blockBytes(): number {
    return this.#groups * 16
  }

  /** Where the codes of whole blocks lie, from row `first` on, a multiple of `blockRows` (snapshots). */
  blocksAt(first: number, bytes: number): Uint8Array {
    const start = (first * this.#groups) / 2
    return this.#kernel.codes.subarray(start, start + bytes)
  }

  /**
   * Whole blocks as if these rows stood at 0, 1 and so on (snapshots); without codes of those that `holds` does not
   * mark with 1.
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

  /** Adds a row's codes to blocks that have none where row `to` of theirs is. */
  #copy(row: number, blocks: Uint8Array, to: number): void {
    const { codes } = this.#kernel
    const from = this.#placeOf(row)
    const into = this.#placeOf(to)
    for (let at = 0; at < this.blockBytes; at += 16)
      blocks[into.start + at]! |= ((codes[from.start + at]! >> from.shift) & 15) << into.shift
  }

  /** The byte of a row's first group, 16 before that of the next one, and which nibble of these bytes is its. */
  #placeOf(row: number): CodePlace {
    const lane = row % blockRows
    return { start: ((row - lane) * this.#groups) / 2 + (lane % 16), shift: lane < 16 ? 0 : 4 }
  }

  /** The rotated vector with numbers of variance 1, valid until the next call; zeros for one that has no direction. */
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
