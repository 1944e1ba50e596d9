import { grown } from '../arrays/growable.js'
import { frequencyBits, maxFrequency, type TextField } from '../words/text-field.js'

/**
 * The terms that a search looks for in rows, by their numbers: a row is read by one look into an array for each of its
 * terms. Searches side by side don't share one.
 */
export class TermSlots {
  /** By term: 0 for one that is not looked for, otherwise its place and one. */
  readonly #slots: Uint16Array
  readonly #wanted: number[] = []
  /** What `read` found: places of terms and how often each is said. */
  places = new Uint16Array(64)
  frequencies = new Uint8Array(64)

  /** @param capacity one more than the highest number of a term. */
  constructor(capacity: number) {
    this.#slots = new Uint16Array(capacity)
  }

  get length(): number {
    return this.#slots.length
  }

  /** @param terms up to 65,535 of them; their places are those of this list. */
  fill(terms: Iterable<number>): void {
    for (const term of terms) {
      this.#wanted.push(term)
      this.#slots[term] = this.#wanted.length
    }
    this.places = grown(this.places, this.#wanted.length)
    this.frequencies = grown(this.frequencies, this.#wanted.length)
  }

  /** Leaves it as it was before `fill`. */
  clear(): void {
    for (const term of this.#wanted) this.#slots[term] = 0
    this.#wanted.length = 0
  }

  /** Puts the terms that a row holds into `places` and `frequencies`, in the order in which they are stored. @returns how many */
  read({ forward }: TextField, row: number): number {
    const slots = this.#slots
    const { places, frequencies } = this
    let count = 0
    for (let block = forward.first(row); block !== 0; block = forward.next(block)) {
      const words = forward.words(block)
      const end = forward.end(block)
      for (let i = forward.start(block); i < end; i++) {
        const entry = words[i]!
        // Undefined for a term that came after the search began.
        const slot = slots[entry >>> frequencyBits]!
        if (!(slot > 0)) continue
        places[count] = slot - 1
        frequencies[count++] = entry & maxFrequency
      }
    }
    return count
  }
}
