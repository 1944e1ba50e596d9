import { queryStopWords, weakQueryWords } from '../../../store/index/words/analysis/stop-words.js'

/** A memory that a session was shown. */
export interface ShownMemory {
  id: string
  content: string
  /** ISO time of the first showing. */
  shownAt: string
  /** -1 to 1; null where it was not rated. */
  rating: number | null
}

export interface SaidMessage {
  role: string
  /** Null where the harness does not tell. */
  at: string | null
  text: string
}

/** How a memory was told to be used: by a rating, by its id, or by its words. */
export type Use = 'rated' | 'named' | 'repeated'

/** Words of which any talk is made. */
const plainWords: ReadonlySet<string> = new Set([...queryStopWords, ...weakQueryWords])
/** Shorter words say little, unless they have a digit. */
const minLetters = 4
/** Words of a memory that are looked for: those of a long one are many. */
const maxWords = 200
/** Of these a reply has to have so large a share, and at least so many. */
const minShare = 0.5
const minWords = 2

/**
 * Finds out which memories a session used (telemetry.md 7): those it rated as helpful, those whose id a reply names, and
 * those of which a reply repeats half of the telling words, at least one of which nobody had said before. What was rated
 * as harmful was not used.
 */
export class UsedMemories {
  readonly #used = new Map<string, Use>()
  readonly #open = new Map<string, { memory: ShownMemory; words: ReadonlySet<string> }>()
  readonly #saidByUser = new Set<string>()

  constructor(shown: readonly ShownMemory[]) {
    for (const memory of shown) {
      if (memory.rating !== null && memory.rating !== 0) {
        if (memory.rating > 0) this.#used.set(memory.id, 'rated')
        continue
      }
      this.#open.set(memory.id, { memory, words: tellingWords(memory.content) })
    }
  }

  get used(): ReadonlyMap<string, Use> {
    return this.#used
  }

  /** Takes what was said, in its order. */
  hear({ role, at, text }: SaidMessage): void {
    if (this.#open.size === 0) return
    const words = wordsOf(text)
    if (role === 'user') {
      for (const word of words) this.#saidByUser.add(word)
      return
    }
    if (role !== 'assistant') return
    for (const [id, { memory, words: telling }] of this.#open) {
      if (at !== null && at < memory.shownAt) continue
      const use = text.includes(id) ? 'named' : this.#repeats(words, telling) ? 'repeated' : undefined
      if (!use) continue
      this.#used.set(id, use)
      this.#open.delete(id)
    }
  }

  #repeats(said: ReadonlySet<string>, telling: ReadonlySet<string>): boolean {
    const repeated = [...telling].filter(word => said.has(word))
    const isEnough = repeated.length >= Math.max(minWords, telling.size * minShare)
    return isEnough && repeated.some(word => !this.#saidByUser.has(word))
  }
}

function tellingWords(text: string): ReadonlySet<string> {
  return new Set(
    [...wordsOf(text)]
      .filter(word => (word.length >= minLetters || /\d/u.test(word)) && !plainWords.has(word))
      .slice(0, maxWords),
  )
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])
}
