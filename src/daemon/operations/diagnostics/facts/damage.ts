/** Rows that are not as they should be, of one kind. */
export interface Damage {
  /** Stable; the id of the finding that tells of it. */
  id: string
  /** Where they stand. */
  table: string
  count: number
  /** Keys of some of them. */
  samples: string[]
}

/** Keys of each kind that are kept. */
const maxSamples = 10

/** Collects damage of many rows by kind. */
export class DamageList {
  readonly #kinds = new Map<string, Damage>()

  add(id: string, table: string, key: string): void {
    const known = this.#kinds.get(id) ?? { id, table, count: 0, samples: [] }
    known.count++
    if (known.samples.length < maxSamples) known.samples.push(key)
    this.#kinds.set(id, known)
  }

  /** Every kind that was found, in alphabetical order. */
  all(): Damage[] {
    return [...this.#kinds.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }
}
