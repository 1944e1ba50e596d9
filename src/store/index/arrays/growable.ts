interface Growable<T> {
  readonly length: number
  set(source: T): void
}

/**
 * Makes room for `length` elements: the same array when it is large enough, otherwise a copy with half as much
 * again, so that appending one by one copies each element a constant number of times.
 */
export function grown<T extends Growable<T>>(array: T, length: number): T {
  if (length <= array.length) return array
  const Make = array.constructor as new (length: number) => T
  const larger = new Make(Math.max(length, Math.ceil(array.length * 1.5), 64))
  larger.set(array)
  return larger
}
