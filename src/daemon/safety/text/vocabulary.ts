import { atOnce } from '../../../lib/concurrency/every-few-ms.js'

/** Numbers of the words that a text holds, and in the same order the passages that each begins in, a bit for each. */
export interface FoundWords {
  words: number[]
  passages: number[]
}

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
  /** By the number of a word, its place among what a search found plus one; empty between searches. */
  #places = new Uint16Array(0)

  /** @returns the number of a word of at least two characters, which stays its own. */
  add(word: string): number {
    const known = this.#numbers.get(word)
    if (known !== undefined) return known
    const number = this.#words.push(word) - 1
    this.#numbers.set(word, number)
    const pair = hashOf(word.charCodeAt(0), word.charCodeAt(1))
    const bucket = word.length === 2 ? bucketOfTwo(pair) : bucketOfThree(hashOf(pair, word.charCodeAt(2)))
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

  /** The words of a text with the passages that they begin in, of which there are 31 at most. */
  passagesWith(text: string, passageLength: number): FoundWords {
    atOnce(this.complete())
    if (this.#places.length < this.#words.length) this.#places = new Uint16Array(this.#words.length)
    const found: FoundWords = { words: [], passages: [] }
    let passage = 1
    let passageEnd = passageLength
    let next = text.charCodeAt(1)
    let hash = hashOf(text.charCodeAt(0), next)
    for (let at = 0; at + 1 < text.length; at++) {
      if (at === passageEnd) {
        passage <<= 1
        passageEnd += passageLength
      }
      const two = this.#newest[bucketOfTwo(hash)]!
      if (two > 0) this.#compare(text, at, two, found, passage)
      if (at + 2 === text.length) break
      const third = text.charCodeAt(at + 2)
      const three = this.#newest[bucketOfThree(hashOf(hash, third))]!
      if (three > 0) this.#compare(text, at, three, found, passage)
      hash = hashOf(next, third)
      next = third
    }
    for (const word of found.words) this.#places[word] = 0
    return found
  }

  #compare(text: string, at: number, first: number, found: FoundWords, passage: number): void {
    for (let next = first; next > 0; next = this.#before[next - 1]!) {
      const place = this.#places[next - 1]!
      if (place > 0 && (found.passages[place - 1]! & passage) !== 0) continue
      if (!text.startsWith(this.#words[next - 1]!, at)) continue
      if (place > 0) found.passages[place - 1]! |= passage
      else {
        this.#places[next - 1] = found.words.push(next - 1)
        found.passages.push(passage)
      }
    }
  }
}

/** Of what begins so, with one character more. */
function hashOf(before: number, character: number): number {
  return before * 31 + character
}

// Two characters and three are kept apart by the lowest bit.
function bucketOfTwo(hash: number): number {
  return (hash << 1) & (buckets - 1)
}

function bucketOfThree(hash: number): number {
  return bucketOfTwo(hash) | 1
}
