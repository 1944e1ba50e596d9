interface Growable<T> {
  readonly length: number
  set(source: T): void
}

/**
 * Makes room for `length` elements: returns the same array if it is large enough, otherwise a copy at least
 * half as large again, so that appending costs constant amortised time.
 */
export function growArray<T extends Growable<T>>(array: T, length: number): T {
  if (length <= array.length) return array
  const Make = array.constructor as new (length: number) => T
  const larger = new Make(Math.max(length, Math.ceil(array.length * 1.5), 64))
  larger.set(array)
  return larger
}
