import { dotKernelCode } from './dot-kernel-code.js'
import { arraysWithRows, instantiateKernel, type KernelMemory, plainMemory } from './kernel-memory.js'

/** Maximum rows per call. */
export const kernelRows = 8192

// Memory layout: the arrays of a call, then the rows.
const numbersAt = 16_384
const resultsAt = 49_152
const vectorAt = 81_920
const rowsAt = 114_688

/**
 * Signed bytes in rows of `stride`, and dot products with a query of 16-bit numbers. Results of a call stay
 * in `results` until the next one.
 */
export interface DotKernel {
  /** Row `n` starts at `rows[n * stride]`. Read again after `reserve`. */
  readonly rows: Int8Array
  /** The query, `stride` numbers. */
  readonly query: Int16Array
  /** A vector to quantise, `stride` numbers. */
  readonly vector: Float32Array
  /** Row numbers for `gather`, at most `kernelRows`. */
  readonly numbers: Uint32Array
  readonly results: Int32Array
  /** @throws RangeError when the rows would need more than 4 GiB. */
  reserve(rows: number): void
  gather(count: number): void
  /** Multiplies the vector by `factor`, which must limit it to 127, and writes it to a row as integers. */
  quantise(row: number, factor: number): void
}

interface Exports {
  gather(query: number, base: number, stride: number, numbers: number, count: number, out: number): void
  quantise(vector: number, length: number, factor: number, row: number): void
}

/** @returns undefined if WebAssembly or its SIMD is missing. */
export function simdDotKernel(stride: number): DotKernel | undefined {
  const kernel = instantiateKernel<Exports>(dotKernelCode)
  if (!kernel) return undefined
  const { memory, exports } = kernel
  return {
    ...arraysIn(memory, stride),
    gather: count => exports.gather(0, rowsAt, stride, numbersAt, count, resultsAt),
    quantise: (row, factor) => exports.quantise(vectorAt, stride, factor, rowsAt + row * stride),
  }
}

/** The same sums in plain JavaScript. */
export function plainDotKernel(stride: number): DotKernel {
  return {
    ...arraysIn(plainMemory(), stride),
    gather(count) {
      const { query, rows, numbers, results } = this
      for (let i = 0; i < count; i++) {
        let sum = 0
        for (let d = 0, at = numbers[i]! * stride; d < stride; d++, at++) sum += query[d]! * rows[at]!
        results[i] = sum
      }
    },
    quantise(row, factor) {
      const { vector, rows } = this
      for (let i = 0, at = row * stride; i < stride; i++, at++) rows[at] = Math.round(vector[i]! * factor)
    },
  }
}

function arraysIn(memory: KernelMemory, stride: number): Omit<DotKernel, 'gather' | 'quantise'> {
  return arraysWithRows(memory, { rowsAt, bytesOf: rows => rows * stride }, buffer => ({
    query: new Int16Array(buffer, 0, stride),
    numbers: new Uint32Array(buffer, numbersAt, kernelRows),
    results: new Int32Array(buffer, resultsAt, kernelRows),
    vector: new Float32Array(buffer, vectorAt, stride),
    rows: new Int8Array(buffer, rowsAt),
  }))
}
