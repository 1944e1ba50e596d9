import { late } from '../../../../lib/concurrency/late.js'

/** Scripts that put no spaces between words; Hangul has spaces, but glues particles to its words. */
export const unspacedScripts =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}' +
  '\\p{Script=Khmer}\\p{Script=Myanmar}\u30fc'

const ideographic = late(() => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u)
const hangul = late(() => /^\p{Script=Hangul}+$/u)

/** Longer runs are cut: Intl.Segmenter takes time in proportion, and a run of this length is no sentence. */
const longestRun = 1024

/**
 * Words of text without spaces: Intl.Segmenter's words, and for Chinese, Japanese and Korean also every pair of
 * neighbouring characters, because the segmenter cuts the same word differently in a query and in a sentence.
 */
export class UnspacedWords {
  /** Made when it is needed: the first one takes some 30 ms, and memory. */
  #segmenter: Intl.Segmenter | undefined

  /** @param run characters of unspaced scripts only. */
  of(run: string): string[] {
    const words: string[] = []
    for (let at = 0; at < run.length; at += longestRun) this.#add(run.slice(at, at + longestRun), words)
    return words
  }

  #add(run: string, words: string[]): void {
    this.#segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
    const seen = new Set<string>()
    if (hangul().test(run)) seen.add(run)
    else for (const { segment } of this.#segmenter.segment(run)) seen.add(segment)
    if (ideographic().test(run)) {
      const characters = Array.from(run)
      for (let i = 1; i < characters.length; i++) seen.add(characters[i - 1]! + characters[i]!)
    }
    words.push(...seen)
  }
}
