import { coarseKernelCode } from './coarse-kernel-code.js'
import { arraysWithRows, instantiateKernel, type KernelMemory, plainMemory } from './kernel-memory.js'

/** Maximum rows per call. */
export const coarseKernelRows = 8192
/** Rows of a block, whose codes are interleaved. */
export const blockRows = 32

// Memory layout: the arrays of a call, then the codes. The table and the numbers of a vector share their
// space.
const sumsAt = 65_536
const factorsAt = 81_920
const placesAt = 114_688
const codesAt = 147_456

/** Start of a row's code, and its nibble in these bytes: 0 or 4 bits to the left. */
export interface CodePlace {
  start: number
  shift: number
}

/** Reconstruction levels of a number's magnitude: `inner`, or `outer` beyond `outerFrom`. */
export interface Quantiser {
  inner: number
  outer: number
  outerFrom: number
}

/** Codes in blocks as `coarse-kernel.wat` describes them, and their sums with a query's table. */
export interface CoarseKernel {
  /** Read again after `reserve`. */
  readonly codes: Uint8Array
  /** 16 entries per group; the sum of four fits a byte, that of a row 16 bits. */
  readonly table: Uint8Array
  /** Two numbers per group, for `encode`. */
  readonly numbers: Float64Array
  /** Factors of the rows of a call, for `sift`. */
  readonly factors: Float32Array
  readonly sums: Uint16Array
  /** Results of `sift`: positions in `sums`. */
  readonly places: Uint32Array
  /** @throws RangeError when the codes would need more than 4 GiB. */
  reserve(rows: number): void
  /** Writes the code of the numbers. @returns the dot product of the numbers and their reconstruction. */
  encode(place: CodePlace, quantiser: Quantiser): number
  /** Sums of `count` rows; both `count` and `firstRow` are multiples of `blockRows`. */
  scan(firstRow: number, count: number): void
  /** Finds positions with (sum + offset) * factor >= `bar`, in single precision. @returns how many. */
  sift(count: number, offset: number, bar: number): number
}

interface Exports {
  encode(
    numbers: number,
    codes: number,
    groups: number,
    shift: number,
    inner: number,
    outer: number,
    outerFrom: number,
  ): number
  scan(table: number, codes: number, groups: number, blocks: number, out: number): void
  sift(sums: number, factors: number, count: number, offset: number, bar: number, out: number): number
}

/** @returns undefined if WebAssembly or its SIMD is missing. */
export function simdCoarseKernel(groups: number): CoarseKernel | undefined {
  const kernel = instantiateKernel<Exports>(coarseKernelCode)
  if (!kernel) return undefined
  const { memory, exports } = kernel
  return {
    ...arraysIn(memory, groups),
    encode: ({ start, shift }, { inner, outer, outerFrom }) =>
      exports.encode(0, codesAt + start, groups, shift, inner, outer, outerFrom),
    scan: (firstRow, count) =>
      exports.scan(0, codesAt + (firstRow * groups) / 2, groups, count / blockRows, sumsAt),
    sift: (count, offset, bar) => exports.sift(sumsAt, factorsAt, count, offset, bar, placesAt),
  }
}

/** The same in plain JavaScript. */
export function plainCoarseKernel(groups: number): CoarseKernel {
  return {
    ...arraysIn(plainMemory(), groups),
    encode({ start, shift }, quantiser) {
      const { codes, numbers } = this
      let product = 0
      for (let i = 0, at = start; i < numbers.length; i += 2, at += 16) {
        const a = nearest(numbers[i]!, quantiser)
        const b = nearest(numbers[i + 1]!, quantiser)
        product += a.product + b.product
        codes[at] = (codes[at]! & (0xf0 >> shift)) | ((a.code | (b.code << 2)) << shift)
      }
      return product
    },
    scan(firstRow, count) {
      const { codes, table, sums } = this
      sums.fill(0, 0, count)
      for (let row = 0; row < count; row += blockRows)
        for (let group = 0; group < groups; group++) {
          const at = ((firstRow + row) * groups) / 2 + group * 16
          for (let lane = 0; lane < 16; lane++) {
            const code = codes[at + lane]!
            sums[row + lane]! += table[group * 16 + (code & 15)]!
            sums[row + lane + 16]! += table[group * 16 + (code >> 4)]!
          }
        }
    },
    sift(count, offset, bar) {
      const { sums, factors, places } = this
      const [offset32, bar32] = [Math.fround(offset), Math.fround(bar)]
      let found = 0
      for (let i = 0; i < count; i++) {
        const estimate = Math.fround(Math.fround(sums[i]! + offset32) * factors[i]!)
        if (estimate >= bar32) places[found++] = i
      }
      return found
    },
  }
}

/** Level of a value, 0 (lowest) to 3. */
function nearest(value: number, { inner, outer, outerFrom }: Quantiser): { code: number; product: number } {
  const size = Math.abs(value)
  const isOuter = size > outerFrom
  const product = size * (isOuter ? outer : inner)
  return { code: value < 0 ? Number(!isOuter) : 2 + Number(isOuter), product }
}

function arraysIn(memory: KernelMemory, groups: number): Omit<CoarseKernel, 'encode' | 'scan' | 'sift'> {
  const bytesOf = (rows: number) => Math.ceil(rows / blockRows) * groups * 16
  return arraysWithRows(memory, { rowsAt: codesAt, bytesOf }, buffer => ({
    table: new Uint8Array(buffer, 0, groups * 16),
    numbers: new Float64Array(buffer, 0, groups * 2),
    sums: new Uint16Array(buffer, sumsAt, coarseKernelRows),
    factors: new Float32Array(buffer, factorsAt, coarseKernelRows),
    places: new Uint32Array(buffer, placesAt, coarseKernelRows),
    codes: new Uint8Array(buffer, codesAt),
  }))
}
