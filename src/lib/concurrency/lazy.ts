/** Returns a getter that creates its value with `make` on the first call and caches it. */
export function lazy<T>(make: () => T): () => T {
  const kept: { made?: { value: T } } = {}
  return () => {
    kept.made ??= { value: make() }
    return kept.made.value
  }
}
