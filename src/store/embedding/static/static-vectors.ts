import type { StaticModel } from './model-file.js'
import { createTokenizer } from './tokenizer.js'

export interface StaticVectors {
  /**
   * The sum of the vectors of a text's units; its length is not one. Undefined for a text most of whose words are unknown
   * (another language, a hash, base64): its vector would be noise.
   */
  vectorOf(text: string): Float32Array | undefined
}

export function createStaticVectors({ units, dimensions, scales, values }: StaticModel): StaticVectors {
  const tokenizer = createTokenizer(units)
  return {
    vectorOf(text) {
      const { ids, words, unknown } = tokenizer.tokens(text)
      if (ids.length === 0 || unknown * 2 > words) return undefined
      const sum = new Float32Array(dimensions)
      for (const id of ids) {
        const scale = scales[id]!
        const from = id * dimensions
        for (let at = 0; at < dimensions; at++) sum[at]! += scale * values[from + at]!
      }
      return sum
    },
  }
}
