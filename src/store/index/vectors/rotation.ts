import { plainRotationKernel, type RotationKernel, simdRotationKernel } from './rotation-kernel.js'

/**
 * A rotation that spreads what a vector holds evenly over its numbers: random changes of sign and fast Hadamard
 * transforms, the same in every process, since codes that are kept depend on it. Lengths and angles stay.
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
