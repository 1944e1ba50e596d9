import { grown } from '../growable.js'
import type { LoopBudget } from '../loop-budget.js'
import type { TextField } from '../text-field.js'

const rowsPerStep = 2000

/** What a snapshot holds of one text field of some rows. */
export interface PackedTexts {
  rows: readonly number[]
  /** 1 for a row that has a text. */
  present: Uint8Array
  /** In terms. */
  lengths: Uint32Array
  counts: Uint32Array
  entries: Uint32Array
}

/**
 * Rebuilds a text field from the forward lists of its rows. Postings are sorted by term in one pass at the end:
 * appending them row by row would jump through the whole arena for every word.
 */
export class TextLoader {
  #entries = new Uint32Array(1 << 16)
  #end = 0
  /** Where a row's entries lie, and the length of its text plus one: 0 for a row without one. */
  #starts = new Uint32Array(1024)
  #ends = new Uint32Array(1024)
  #lengths = new Uint32Array(1024)

  constructor(
    readonly field: TextField,
    readonly budget: LoopBudget,
  ) {}

  /** Rows with their forward lists one after another in `entries`; `counts` says how many each has. */
  add({ rows, present, lengths, counts, entries }: PackedTexts): void {
    const end = Math.max(...rows, 0) + 1
    this.#starts = grown(this.#starts, end)
    this.#ends = grown(this.#ends, end)
    this.#lengths = grown(this.#lengths, end)
    this.#entries = grown(this.#entries, this.#end + entries.length)
    this.#entries.set(entries, this.#end)
    for (const [i, row] of rows.entries()) {
      this.#starts[row] = this.#end
      this.#end += counts[i]!
      this.#ends[row] = this.#end
      this.#lengths[row] = present[i] === 1 ? lengths[i]! + 1 : 0
    }
  }

  /** Forgets a row that a later part of the snapshot replaces or removes. */
  drop(row: number): void {
    if (row < this.#lengths.length) this.#lengths[row] = 0
  }

  /** Fills the field, which must be empty. */
  async finish(): Promise<void> {
    const counts = new Uint32Array(this.#termCapacity())
    await this.#inSteps(row => this.#restoreRow(row, counts))
    const ends = new Uint32Array(counts.length)
    for (let term = 1; term < ends.length; term++) ends[term] = ends[term - 1]! + counts[term - 1]!
    const postings = new Uint32Array(this.#end)
    await this.#inSteps(row => this.#sortRow(row, postings, ends))
    for (let term = 1; term < ends.length; term++) {
      if (term % rowsPerStep === 0) await this.budget.breathe()
      this.field.restoreTerm(term, postings, ends[term]! - counts[term]!, ends[term]!)
    }
  }

  async #inSteps(work: (row: number) => void): Promise<void> {
    for (let row = 0; row < this.#lengths.length; row++) {
      if (row % rowsPerStep === 0) await this.budget.breathe()
      if (this.#lengths[row]! > 0) work(row)
    }
  }

  /** One more than the highest term. */
  #termCapacity(): number {
    let highest = 0
    for (let i = 0; i < this.#end; i++) if (this.#entries[i]! > highest) highest = this.#entries[i]!
    return (highest >>> 8) + 1
  }

  #restoreRow(row: number, counts: Uint32Array): void {
    const start = this.#starts[row]!
    const end = this.#ends[row]!
    for (let i = start; i < end; i++) counts[this.#entries[i]! >>> 8]!++
    this.field.restoreRow(row, this.#lengths[row]! - 1, this.#entries, start, end)
  }

  #sortRow(row: number, postings: Uint32Array, ends: Uint32Array): void {
    for (let i = this.#starts[row]!; i < this.#ends[row]!; i++) {
      const entry = this.#entries[i]!
      postings[ends[entry >>> 8]!++] = ((row << 8) | (entry & 0xff)) >>> 0
    }
  }
}
