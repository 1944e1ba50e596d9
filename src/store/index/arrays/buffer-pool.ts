const kept = 4

/** Lends arrays by row, so that searches side by side don't share one and a search does not allocate one. */
export class BufferPool<T extends { readonly length: number }> {
  #free: T[] = []

  /** @param make with room for so many rows. */
  constructor(readonly make: (length: number) => T) {}

  /** One with room for at least so many rows, as it was given back. */
  take(length: number): T {
    const pooled = this.#free.pop()
    return pooled && pooled.length >= length ? pooled : this.make(Math.ceil(length * 1.25))
  }

  give(pooled: T): void {
    if (this.#free.length < kept) this.#free.push(pooled)
  }

  /** Rows that the arrays in it have room for, together. */
  get length(): number {
    return this.#free.reduce((sum, { length }) => sum + length, 0)
  }
}
