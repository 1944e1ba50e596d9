import { runToEnd } from '../../../lib/concurrency/every-few-ms.js'

/** Numbers of the words in a text and, in the same order, a bit set of the passages each begins in. */
export interface FoundWords {
  words: number[]
  passages: number[]
}

/** Hash buckets for the beginnings of words. */
const buckets = 32_768

/**
 * The words of all rules, searched in one pass: it hashes the first two and three characters at each
 * position, and compares only words with that beginning.
 */
export class Vocabulary {
  readonly #words: string[] = []
  readonly #numbers = new Map<string, number>()
  /** Newest word of each bucket, as its number plus one; 0 means none. */
  readonly #newest = new Uint16Array(buckets)
  /** Previous word in the same bucket, as its number plus one, by word number. */
  readonly #before: number[] = []
  /** Callbacks that add words and have not run yet. */
  readonly #expected: (() => unknown)[] = []
  /** Position of a word in the current result plus one, by word number; all zero between searches. */
  #places = new Uint16Array(0)

  /** @returns the permanent number of a word of at least two characters */
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

  /** Postpones words that are expensive to determine until the first search. @param addWords adds them */
  expect(addWords: () => unknown): void {
    this.#expected.push(addWords)
  }

  /**
   * Adds the postponed words in small steps. A search would add them all at once, so call this first where
   * other work waits. Several callers share the steps.
   */
  *complete(): Generator<undefined, void> {
    for (let addWords = this.#expected.shift(); addWords; addWords = this.#expected.shift()) {
      addWords()
      yield
    }
  }

  /** The words in a text with the passages they begin in, of which there are at most 31. */
  passagesWith(text: string, passageLength: number): FoundWords {
    runToEnd(this.complete())
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

/** Extends the hash of a beginning by one character. */
function hashOf(before: number, character: number): number {
  return before * 31 + character
}

// The lowest bit separates beginnings of two and of three characters.
function bucketOfTwo(hash: number): number {
  return (hash << 1) & (buckets - 1)
}

function bucketOfThree(hash: number): number {
  return bucketOfTwo(hash) | 1
}
