import type { MemoryEntry } from '../../src/store/index/collections.js'

/** Returns a generator of numbers from 0 to below 1, the same sequence for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const consonants = 'b c d f g h j k l m n p r s t v w z br ch st tr'.split(' ')
const vowels = 'a e i o u ai ou'.split(' ')
const vocabularySize = 60_000
const wordsPerText = [6, 40] as const
const rowsPerSession = 25
const clusters = 500
const flattened = 20
/** English function words. */
export const smallWords: readonly string[] =
  'the a and to of in is it that was for on with as at this be have from or'.split(' ')

function vocabulary(random: () => number): string[] {
  const words = new Set<string>()
  const pick = (parts: readonly string[]) => parts[Math.floor(random() * parts.length)]!
  while (words.size < vocabularySize) {
    let word = ''
    for (let syllables = 2 + Math.floor(random() * 3); syllables > 0; syllables--)
      word += pick(consonants) + pick(vowels)
    words.add(word)
  }
  return [...words]
}

/**
 * Reproducible memories whose words follow Zipf's law, with sessions, projects, agents, and clustered
 * vectors.
 */
export class SyntheticMemories {
  #random: () => number
  #words: string[]
  #centres: Float32Array[]

  constructor(
    seed: number,
    readonly dimensions: number,
  ) {
    this.#random = seededRandom(seed)
    this.#words = vocabulary(this.#random)
    this.#centres = Array.from({ length: clusters }, () => this.#gaussian())
  }

  entry(number: number): MemoryEntry {
    const [least, most] = wordsPerText
    const count = least + Math.floor(this.#random() * (most - least))
    return {
      id: `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`,
      change: number + 1,
      content: this.#text(count),
      hints: number % 20 === 0 ? [this.#text(6)] : [],
      type: ['fact', 'decision', 'preference', 'rule'][number % 4]!,
      tags: [`tag-${number % 50}`],
      who: `person-${number % 12}`,
      project: `project-${Math.floor(number / 1000) % 100}`,
      scope: null,
      agentId: `agent-${number % 5}`,
      visibility: number % 3 === 0 ? 'global' : 'private',
      pinned: number % 100 === 0,
      importance: (number % 10) / 10,
      createdAt: 1_700_000_000_000 + number * 60_000,
      session: `session-${Math.floor(number / rowsPerSession)}`,
    }
  }

  /** A query of six to twelve words. */
  query(): string {
    return this.#text(6 + Math.floor(this.#random() * 7))
  }

  /** A unit vector near one of 500 centres. */
  vector(): Float32Array {
    const centre = this.#centres[Math.floor(this.#random() * clusters)]!
    const noise = this.#gaussian()
    let squares = 0
    for (let i = 0; i < noise.length; i++) {
      noise[i] = centre[i]! + 0.7 * noise[i]!
      squares += noise[i]! ** 2
    }
    return noise.map(value => value / Math.sqrt(squares))
  }

  /** A third of the words are function words. */
  #text(count: number): string {
    const word = () => {
      if (this.#random() < 1 / 3) return smallWords[Math.floor(this.#random() * smallWords.length)]!
      return this.#words[this.#zipf()]!
    }
    return Array.from({ length: count }, word).join(' ')
  }

  /** Word rank r has a probability of about 1 / (r + 20): Zipf's law for words other than function words. */
  #zipf(): number {
    const range = (vocabularySize + flattened) / flattened
    return Math.min(vocabularySize - 1, Math.floor(flattened * range ** this.#random()) - flattened)
  }

  #gaussian(): Float32Array {
    const vector = new Float32Array(this.dimensions)
    for (let i = 0; i < vector.length; i++) {
      vector[i] = Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random())
    }
    return vector
  }
}
