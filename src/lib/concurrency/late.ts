/** What `make` makes, once somebody asks for it. */
export function late<T>(make: () => T): () => T {
  const kept: { made?: { value: T } } = {}
  return () => {
    kept.made ??= { value: make() }
    return kept.made.value
  }
}
