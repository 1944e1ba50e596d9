interface Growable<T> {
  readonly length: number
  set(source: T): void
}

const kept = 4

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

/** Lends arrays with one element per row, so that concurrent searches neither share nor allocate them. */
export class BufferPool<T extends { readonly length: number }> {
  #free: T[] = []

  /** @param make allocates an array for this many rows. */
  constructor(readonly make: (length: number) => T) {}

  /** Returns an array for at least this many rows, with the content it was returned with. */
  take(length: number): T {
    const pooled = this.#free.pop()
    return pooled && pooled.length >= length ? pooled : this.make(Math.ceil(length * 1.25))
  }

  give(pooled: T): void {
    if (this.#free.length < kept) this.#free.push(pooled)
  }

  /** Total number of rows that the pooled arrays have room for. */
  get length(): number {
    return this.#free.reduce((sum, { length }) => sum + length, 0)
  }
}
