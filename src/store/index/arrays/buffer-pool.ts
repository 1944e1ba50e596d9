const kept = 4

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
