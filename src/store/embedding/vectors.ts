import type { EmbeddedText } from './embedder.js'
import { ProviderError, type RawVector, TextRefused } from './provider.js'

/**
 * Validates vectors from a provider and scales them to unit length.
 * @param dimensions expected length; null accepts any, as long as all are the same
 * @throws ProviderError when the number or length of vectors is wrong, TextRefused when one has no direction
 */
export function toUnitVectors(
  raw: readonly RawVector[],
  texts: number,
  dimensions: number | null,
): EmbeddedText[] {
  if (raw.length !== texts)
    throw new ProviderError(`the provider returned ${raw.length} vectors for ${texts} texts`)
  const expected = dimensions ?? raw.find(values => values)?.length ?? 0
  return raw.map(values => {
    if (!values) return undefined
    if (values.length !== expected) {
      throw new ProviderError(
        `the provider returned vectors of ${values.length} dimensions instead of ${expected}: check embedding.model and embedding.dimensions`,
        { atOnce: true },
      )
    }
    return toUnitVector(values)
  })
}

/**
 * Scales a vector to unit length. Squares of float32 values can neither overflow nor vanish in a double, so
 * plain arithmetic is enough.
 * @throws TextRefused when it has no direction
 */
export function toUnitVector(values: ArrayLike<number>): Float32Array {
  const vector = new Float32Array(values)
  let squares = 0
  for (const value of vector) squares += value * value
  const length = Math.sqrt(squares)
  if (!Number.isFinite(length) || length === 0) {
    throw new TextRefused('the provider returned an unusable vector (all zeros, or not numbers)')
  }
  for (let i = 0; i < vector.length; i++) vector[i]! /= length
  return vector
}
