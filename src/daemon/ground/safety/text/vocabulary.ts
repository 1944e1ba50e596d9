import { atOnce } from '../../../../lib/every-few-ms.js'

/** Buckets for the beginnings of words. */
const buckets = 32_768

/**
 * The words that rules need, searched all at once: one pass over a text looks at the two and at the three characters
 * before each place, and compares only words that begin so.
 */
export class Vocabulary {
  readonly #words: string[] = []
  readonly #numbers = new Map<string, number>()
  /** By the hash of a beginning, the number of the newest word with it plus one; 0 is none. */
  readonly #newest = new Uint16Array(buckets)
  /** By the number of a word, the one before it in its bucket plus one. */
  readonly #before: number[] = []
  /** What adds words and was not called yet. */
  readonly #expected: (() => unknown)[] = []

  /** @returns the number of a word of at least two characters, which stays its own. */
  add(word: string): number {
    const known = this.#numbers.get(word)
    if (known !== undefined) return known
    const number = this.#words.push(word) - 1
    this.#numbers.set(word, number)
    const bucket = word.length === 2 ? hashOfTwo(word, 0) : hashOfThree(word, 0)
    this.#before[number] = this.#newest[bucket]!
    this.#newest[bucket] = number + 1
    return number
  }

  /** Words that are known only after some work, which is put off until the first search. @param addWords does it */
  expect(addWords: () => unknown): void {
    this.#expected.push(addWords)
  }

  /**
   * Adds the words that are expected, in small steps. A search does so by itself, all at once: where other work waits,
   * this comes before it. Several callers share the steps.
   */
  *complete(): Generator<undefined, void> {
    for (let addWords = this.#expected.shift(); addWords; addWords = this.#expected.shift()) {
      addWords()
      yield
    }
  }

  /** By the number of a word, the passages that it begins in: bit n stands for passage n, of which there are 31 at most. */
  passagesWith(text: string, passageLength: number): Uint32Array {
    atOnce(this.complete())
    const found = new Uint32Array(this.#words.length)
    let passage = 1
    let passageEnd = passageLength
    for (let at = 0; at + 1 < text.length; at++) {
      if (at === passageEnd) {
        passage <<= 1
        passageEnd += passageLength
      }
      const two = this.#newest[hashOfTwo(text, at)]!
      if (two > 0) this.#compare(text, at, two, found, passage)
      const three = at + 2 < text.length ? this.#newest[hashOfThree(text, at)]! : 0
      if (three > 0) this.#compare(text, at, three, found, passage)
    }
    return found
  }

  #compare(text: string, at: number, first: number, found: Uint32Array, passage: number): void {
    for (let next = first; next > 0; next = this.#before[next - 1]!) {
      const isKnown = (found[next - 1]! & passage) !== 0
      if (!isKnown && text.startsWith(this.#words[next - 1]!, at)) found[next - 1]! |= passage
    }
  }
}

// Two characters and three are kept apart by the lowest bit.
function hashOfTwo(text: string, at: number): number {
  return ((text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) << 1) & (buckets - 1)
}

function hashOfThree(text: string, at: number): number {
  const pair = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)
  return (((pair * 31 + text.charCodeAt(at + 2)) << 1) | 1) & (buckets - 1)
}
