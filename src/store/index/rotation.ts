/**
 * A rotation that spreads what a vector holds evenly over its numbers: random changes of sign and fast Hadamard
 * transforms, the same in every process, since codes that are kept depend on it. Lengths and angles stay.
 */
export class Rotation {
  /** The largest power of two that is not above `length`: what one transform takes. */
  readonly #span: number
  readonly #signs: Int8Array

  /** @param length of rotated vectors, 4 or more. */
  constructor(readonly length: number) {
    this.#span = 2 ** Math.floor(Math.log2(length))
    this.#signs = Int8Array.from({ length }, randomSigns(0x9e3779b9))
  }

  /** Writes the rotated vector, padded with zeros, to `into`, which has `length` numbers. */
  turn(vector: Float32Array, into: Float64Array): void {
    for (let i = 0; i < vector.length; i++) into[i] = vector[i]! * this.#signs[i]!
    into.fill(0, vector.length)
    transform(into, 0, this.#span)
    // The two spans overlap, so that every number has a part in many.
    if (this.#span < this.length) transform(into, this.length - this.#span, this.#span)
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

/** The orthogonal Hadamard transform of `span` numbers, 4 or more, from `start` on: two of its steps at a time. */
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
  const scale = 1 / Math.sqrt(span)
  for (let i = start; i < end; i++) numbers[i]! *= scale
}
