export interface QueryCache {
  get(text: string): Float32Array | undefined
  set(text: string, vector: Float32Array): void
}

/** The vectors of the most recently used `maxEntries` texts. Answers are copies: a caller may keep and change its own. */
export function createQueryCache(maxEntries: number): QueryCache {
  // A Map keeps insertion order: what is used moves to the end, the start is what was used longest ago.
  const entries = new Map<string, Float32Array>()
  return {
    get(text) {
      const vector = entries.get(text)
      if (!vector) return
      entries.delete(text)
      entries.set(text, vector)
      return vector.slice()
    },
    set(text, vector) {
      entries.delete(text)
      entries.set(text, vector.slice())
      if (entries.size <= maxEntries) return
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        return
      }
    },
  }
}
