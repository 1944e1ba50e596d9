import { stemmer } from 'stemmer'

/** Another full-text search to compare with: rows of one store in, ids out, best first. */
export interface Baseline {
  add(row: { id: string; content: string }): void
  recall(query: string, limit: number): string[] | Promise<string[]>
}

const k1 = 1.2
const b = 0.75

/** English function words, and words that people use to ask. */
const stopWords = new Set(
  (
    'a an the this that these those some any each every all both few more most much many other another such no not ' +
    'none nor only own same so than too very just also even still yet again ever never always i me my mine myself you ' +
    'your yours yourself he him his himself she her hers herself it its itself we us our ours ourselves they them ' +
    'their theirs themselves who whom whose which what when where why how am is are was were be been being have has ' +
    'had having do does did doing done can could will would shall should may might must and or but if because as ' +
    'until while though although since unless whether of at by for with without within about against between into ' +
    'through during before after above below to from up down in out on off over under upon via per then once here ' +
    'there now there s t d ll m re ve don isn aren wasn weren doesn didn hasn haven hadn won wouldn couldn shouldn ' +
    'please get got use used using make made way want like need know tell'
  ).split(' '),
)

interface Posting {
  row: number
  count: number
}

/** Textbook BM25 over Porter stems without stop words. */
export class PlainBm25 implements Baseline {
  readonly #ids: string[] = []
  readonly #lengths: number[] = []
  readonly #postings = new Map<string, Posting[]>()

  add({ id, content }: { id: string; content: string }): void {
    const stems = stemsOf(content)
    const row = this.#ids.push(id) - 1
    this.#lengths.push(stems.length)
    const counts = new Map<string, number>()
    for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
    for (const [stem, count] of counts) {
      const known = this.#postings.get(stem)
      if (known) known.push({ row, count })
      else this.#postings.set(stem, [{ row, count }])
    }
  }

  /** @returns ids, best first; ties in insertion order */
  recall(query: string, limit: number): string[] {
    const rows = this.#ids.length
    const average = this.#lengths.reduce((sum, length) => sum + length, 0) / rows
    const scores = new Map<number, number>()
    for (const stem of new Set(stemsOf(query))) {
      const holders = this.#postings.get(stem) ?? []
      const rarity = Math.log(1 + (rows - holders.length + 0.5) / (holders.length + 0.5))
      for (const { row, count } of holders) {
        const norm = k1 * (1 - b + (b * this.#lengths[row]!) / average)
        scores.set(row, (scores.get(row) ?? 0) + (rarity * count * (k1 + 1)) / (count + norm))
      }
    }
    const ranked = [...scores].sort((x, y) => y[1] - x[1] || x[0] - y[0])
    return ranked.slice(0, limit).map(([row]) => this.#ids[row]!)
  }
}

/** @returns runs of letters and digits, in lower case */
export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .normalize('NFKC')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

function stemsOf(text: string): string[] {
  return wordsOf(text)
    .filter(word => !stopWords.has(word) && (word.length > 1 || /\p{N}/u.test(word)))
    .map(word => stemmer(word))
}
