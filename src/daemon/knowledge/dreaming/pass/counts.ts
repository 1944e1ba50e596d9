/** What a pass did, by name: pieces that it looked at, and what became of operations and attentions. */
export class Counts {
  readonly #counts = new Map<string, number>()

  add(name: string, by = 1): void {
    if (by > 0) this.#counts.set(name, this.get(name) + by)
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  toJSON(): Record<string, number> {
    return Object.fromEntries(this.#counts)
  }
}
