import { instantiateKernel } from './kernel-memory.js'
import { rotationKernelCode } from './rotation-kernel-code.js'

/** A vector, and its numbers after sign changes and orthogonal Hadamard transforms. */
export interface RotationKernel {
  readonly vector: Float32Array
  /** 1 or -1 for each number. */
  readonly signs: Float64Array
  readonly numbers: Float64Array
  /** Fills the numbers. */
  turn(): void
}

interface Exports {
  turn(vector: number, signs: number, numbers: number, length: number, span: number, scale: number): void
}

/** The size of one transform: the largest power of two up to `length`. */
const spanOf = (length: number) => 2 ** Math.floor(Math.log2(length))
const scaleOf = (span: number) => 1 / Math.sqrt(span)

/**
 * @param length of vectors, a multiple of 4.
 * @returns undefined if WebAssembly or its SIMD is missing.
 */
export function simdRotationKernel(length: number): RotationKernel | undefined {
  const kernel = instantiateKernel<Exports>(rotationKernelCode)
  if (!kernel) return undefined
  const { memory, exports } = kernel
  const signsAt = length * Float64Array.BYTES_PER_ELEMENT
  const vectorAt = 2 * signsAt
  memory.reserve(3 * signsAt)
  const span = spanOf(length)
  return {
    numbers: new Float64Array(memory.buffer, 0, length),
    signs: new Float64Array(memory.buffer, signsAt, length),
    vector: new Float32Array(memory.buffer, vectorAt, length),
    turn: () => exports.turn(vectorAt, signsAt, 0, length, span, scaleOf(span)),
  }
}

/** The same numbers, bit for bit, in plain JavaScript. */
export function plainRotationKernel(length: number): RotationKernel {
  const span = spanOf(length)
  return {
    numbers: new Float64Array(length),
    signs: new Float64Array(length),
    vector: new Float32Array(length),
    turn() {
      const { numbers, signs, vector } = this
      for (let i = 0; i < length; i++) numbers[i] = vector[i]! * signs[i]!
      transform(numbers, 0, span)
      // The two spans overlap, so that every number is mixed with many.
      if (span < length) transform(numbers, length - span, span)
    },
  }
}

/** Transforms `span` numbers from `start` on, two steps at a time. */
function transform(numbers: Float64Array, start: number, span: number): void {
  const end = start + span
  let quarter = 1
  for (; quarter * 4 <= span; quarter *= 4)
    for (let from = start; from < end; from += 4 * quarter)
      for (let i = from; i < from + quarter; i++) {
        const a = numbers[i]! + numbers[i + quarter]!
        const b = numbers[i]! - numbers[i + quarter]!
        const c = numbers[i + 2 * quarter]! + numbers[i + 3 * quarter]!
        const d = numbers[i + 2 * quarter]! - numbers[i + 3 * quarter]!
        numbers[i] = a + c
        numbers[i + quarter] = b + d
        numbers[i + 2 * quarter] = a - c
        numbers[i + 3 * quarter] = b - d
      }
  if (quarter < span)
    for (let i = start; i < start + quarter; i++) {
      const a = numbers[i]!
      const b = numbers[i + quarter]!
      numbers[i] = a + b
      numbers[i + quarter] = a - b
    }
  const scale = scaleOf(span)
  for (let i = start; i < end; i++) numbers[i]! *= scale
}

/**
 * A rotation that spreads a vector's content evenly over its numbers: random sign changes and fast Hadamard
 * transforms. Lengths and angles are preserved. It must be the same in every process, since stored codes
 * depend on it.
 */
export class Rotation {
  readonly #kernel: RotationKernel

  /** @param length of rotated vectors, a multiple of 4. */
  constructor(length: number, options: { simd?: boolean | undefined } = {}) {
    const simd = options.simd === false ? undefined : simdRotationKernel(length)
    this.#kernel = simd ?? plainRotationKernel(length)
    this.#kernel.signs.set(Array.from({ length }, randomSigns(0x9e3779b9)))
  }

  /** @returns the rotated vector, padded with zeros to `length` numbers; valid until the next call. */
  turn(vector: Float32Array): Float64Array {
    const kernel = this.#kernel
    kernel.vector.set(vector)
    kernel.vector.fill(0, vector.length)
    kernel.turn()
    return kernel.numbers
  }
}

/** 1 or -1, always the same sequence for one seed (xorshift). */
function randomSigns(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state < 0 ? -1 : 1
  }
}
