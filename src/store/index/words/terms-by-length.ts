import { grown } from '../arrays/growable.js'

/** Longer terms stand together. */
const longest = 31

/** Terms of one length: their numbers, and which characters occur in each (see `signatureOf`). */
export class TermsOfLength {
  numbers = new Uint32Array(0)
  signatures = new Uint32Array(0)
  count = 0

  add(number: number, signature: number): void {
    this.numbers = grown(this.numbers, this.count + 1)
    this.signatures = grown(this.signatures, this.count + 1)
    this.numbers[this.count] = number
    this.signatures[this.count++] = signature
  }
}

/**
 * The terms of a dictionary by their length, for searches that most of them are too short or too long for. Terms that are
 * forgotten stay in it, and so does what a number meant before: who looks at one reads its text anyway.
 */
export class TermsByLength {
  readonly #lengths = Array.from({ length: longest + 1 }, () => new TermsOfLength())

  add(number: number, length: number, signature: number): void {
    this.#lengths[Math.min(length, longest)]!.add(number, signature)
  }

  /** The terms of at least so many characters: of each length by itself, and whether longer ones are among them. */
  *from(length: number): Iterable<{ length: number; isOpen: boolean; terms: TermsOfLength }> {
    for (let i = Math.min(Math.max(length, 0), longest); i <= longest; i++)
      yield { length: i, isOpen: i === longest, terms: this.#lengths[i]! }
  }

  get bytes(): number {
    return this.#lengths.reduce(
      (sum, { numbers, signatures }) => sum + numbers.byteLength + signatures.byteLength,
      0,
    )
  }
}
