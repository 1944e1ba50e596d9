const most = 1000

/** Returns a getter that creates its value with `make` on the first call and caches it. */
export function lazy<T>(make: () => T): () => T {
  const kept: { made?: { value: T } } = {}
  return () => {
    kept.made ??= { value: make() }
    return kept.made.value
  }
}

/** Memoizes a function of a text, for inputs of which a few recur. The cache is cleared once it is full. */
export function memoize<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>()
  return text => {
    const known = made.get(text)
    if (known !== undefined) return known
    if (made.size >= most) made.clear()
    const result = make(text)
    made.set(text, result)
    return result
  }
}
