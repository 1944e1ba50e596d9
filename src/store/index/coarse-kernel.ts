import { coarseKernelCode } from './coarse-kernel-code.js'
import { instantiateKernel, type KernelMemory, plainMemory } from './kernel-memory.js'

/** Rows that one call takes at most: their codes stay in the processor's cache while they are looked at. */
export const coarseKernelRows = 2048
/** Rows of a block, whose codes lie interleaved. */
export const blockRows = 32

// Layout of the memory: the arrays of a call, then the codes.
const sumsAt = 65_536
const factorsAt = 73_728
const placesAt = 81_920
const codesAt = 98_304

/** Codes in blocks as `coarse-kernel.wat` describes them, and their sums with the table of a query. */
export interface CoarseKernel {
  /** Ask again after `reserve`. */
  readonly codes: Uint8Array
  /** 16 entries a group; four entries fit a byte, those of a row 16 bits. */
  readonly table: Uint8Array
  /** Factors of the rows of a call, for `sift`. */
  readonly factors: Float32Array
  readonly sums: Uint16Array
  /** Places in `sums` that `sift` found. */
  readonly places: Uint32Array
  /** @throws RangeError when the codes would need more than 4 GiB. */
  reserve(rows: number): void
  /** Sums of `count` rows, a multiple of `blockRows` as `firstRow` is. */
  scan(firstRow: number, count: number): void
  /** Finds the places whose (sum + offset) * factor reaches `bar`, in single precision. @returns how many. */
  sift(count: number, offset: number, bar: number): number
}

interface Exports {
  scan(table: number, codes: number, groups: number, blocks: number, out: number): void
  sift(sums: number, factors: number, count: number, offset: number, bar: number, out: number): number
}

/** @returns undefined where WebAssembly or its SIMD is missing. */
export function simdCoarseKernel(groups: number): CoarseKernel | undefined {
  const kernel = instantiateKernel<Exports>(coarseKernelCode)
  if (!kernel) return undefined
  const { memory, exports } = kernel
  return {
    ...arraysIn(memory, groups),
    scan: (firstRow, count) =>
      exports.scan(0, codesAt + (firstRow * groups) / 2, groups, count / blockRows, sumsAt),
    sift: (count, offset, bar) => exports.sift(sumsAt, factorsAt, count, offset, bar, placesAt),
  }
}

/** The same in plain JavaScript. */
export function plainCoarseKernel(groups: number): CoarseKernel {
  return {
    ...arraysIn(plainMemory(), groups),
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

function arraysIn(memory: KernelMemory, groups: number): Omit<CoarseKernel, 'scan' | 'sift'> {
  memory.reserve(codesAt)
  const views = () => ({
    table: new Uint8Array(memory.buffer, 0, groups * 16),
    sums: new Uint16Array(memory.buffer, sumsAt, coarseKernelRows),
    factors: new Float32Array(memory.buffer, factorsAt, coarseKernelRows),
    places: new Uint32Array(memory.buffer, placesAt, coarseKernelRows),
    codes: new Uint8Array(memory.buffer, codesAt),
  })
  return {
    ...views(),
    reserve(rows) {
      const blocks = Math.ceil(rows / blockRows)
      if (memory.reserve(codesAt + blocks * groups * 16)) Object.assign(this, views())
    },
  }
}
