const kept = 4

/** Lends arrays by row, so that searches side by side don't share one and a search does not allocate one. */
export class Spares<T extends { readonly length: number }> {
  #spare: T[] = []

  /** @param make with room for so many rows. */
  constructor(readonly make: (length: number) => T) {}

  /** One with room for at least so many rows, as it was given back. */
  take(length: number): T {
    const spare = this.#spare.pop()
    return spare && spare.length >= length ? spare : this.make(Math.ceil(length * 1.25))
  }

  give(spare: T): void {
    if (this.#spare.length < kept) this.#spare.push(spare)
  }

  /** Rows that the spares have room for, together. */
  get length(): number {
    return this.#spare.reduce((sum, { length }) => sum + length, 0)
  }
}
