import { stemmer } from 'stemmer'
import { lazy } from '../../../../lib/concurrency/lazy.js'
import { isAscii } from '../../../../lib/text/is-ascii.js'
import { foldLetters } from './fold.js'
import { isFrequentIn, latinLanguageOf, stemByScript, stemIn, stemsOf } from './languages.js'
import { indexStopWords, queryStopWords, weakQueryWords } from './stop-words.js'

/** Longer identifiers are indexed by their parts only. */
const longestWhole = 128
/** Longer words (keys, encoded data) are cut. */
const longestWord = 64

const plainWord = /^[a-z]+$/
const version = /^v?(\d+(?:\.\d+)+)$/i
const digits = /^\d+$/
const camelEdge = lazy(() => /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
const possessive = /['’]s$/i
const apostrophe = /['’]/g
const connector = /[._-]/
const pathEdge = /[/\\:@]/

/**
 * Terms of text between spaces: a plain word yields itself; an identifier, path, dotted name or version
 * yields itself and its parts. All in lower case, not stemmed.
 */
function partsOf(piece: string): string[] {
  if (plainWord.test(piece)) return [piece.slice(0, longestWord)]
  const text = piece.replace(possessive, '').replace(apostrophe, '')
  const terms: string[] = []
  const segments = text.split(pathEdge).filter(Boolean)
  if (segments.length > 1) addWhole(text, terms)
  for (const segment of segments) addSegment(segment, terms)
  return terms
}

function addSegment(segment: string, terms: string[]): void {
  const numbers = version.exec(segment)?.[1]
  if (numbers) {
    addVersion(numbers, terms)
    return
  }
  const words = segment.split(connector).filter(Boolean)
  if (words.length > 1) addWhole(segment, terms)
  for (const word of words) addWord(word, terms)
}

/** `1.2.3` also matches `1.2`; single digits would only be noise. */
function addVersion(numbers: string, terms: string[]): void {
  addWhole(numbers, terms)
  const [major, minor, patch] = numbers.split('.')
  if (patch !== undefined) terms.push(`${major}.${minor}`)
}

function addWord(word: string, terms: string[]): void {
  terms.push(word.toLowerCase().slice(0, longestWord))
  if (word.length > longestWord || digits.test(word)) return
  const parts = word.split(camelEdge())
  if (parts.length > 1) for (const part of parts) terms.push(part.toLowerCase())
}

function addWhole(text: string, terms: string[]): void {
  if (text.length <= longestWhole) terms.push(text.toLowerCase())
}

/** Scripts without spaces between words; Hangul has spaces, but attaches particles to its words. */
const unspacedScripts =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}' +
  '\\p{Script=Khmer}\\p{Script=Myanmar}\u30fc'

const ideographic = lazy(() => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u)

const hangul = lazy(() => /^\p{Script=Hangul}+$/u)

/** Longer runs are cut, since Intl.Segmenter's time grows with length and no sentence is this long. */
const longestRun = 1024

/**
 * Words of text without spaces: Intl.Segmenter's words and, for Chinese, Japanese and Korean, all character
 * pairs, because the segmenter splits the same word differently in a query and in a sentence.
 */
class UnspacedWords {
  /** Created on demand: the first one takes some 30 ms, and memory. */
  #segmenter: Intl.Segmenter | undefined

  /** @param run characters of unspaced scripts only. */
  of(run: string): string[] {
    const words: string[] = []
    for (let at = 0; at < run.length; at += longestRun) this.#add(run.slice(at, at + longestRun), words)
    return words
  }

  #add(run: string, words: string[]): void {
    this.#segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
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

/** Increment when a text may yield other terms: snapshots of other versions are not loaded. */
export const analysisVersion = 2

/** Analysed characters per text; keyword search does not find the rest. Keeps one save under 50 ms. */
export const maxAnalysedChars = 64_000

/** Analysed characters of unspaced scripts: Intl.Segmenter is far slower than a regular expression. */
export const maxUnspacedChars = 16_000

const maxQueryTerms = 64
const cacheEntries = 50_000
const longestCached = 64

const asciiPiece = /[A-Za-z]\+\+|[A-Za-z0-9]+(?:['._\-/\\:@][A-Za-z0-9]+)*(?:#(?![A-Za-z0-9]))?/g
const letter = `(?:(?![${unspacedScripts}])[\\p{L}\\p{N}\\p{M}])`
/** Compiled on demand: Unicode classes cost V8 milliseconds at startup. */
const piece = lazy(
  () =>
    new RegExp(
      `[${unspacedScripts}]+|\\p{RI}\\p{RI}|\\p{Extended_Pictographic}|[A-Za-z]\\+\\+|` +
        `${letter}+(?:['’._\\-/\\\\:@]${letter}+)*(?:#(?![\\p{L}\\p{N}]))?`,
      'gu',
    ),
)
const unspaced = lazy(() => new RegExp(`^[${unspacedScripts}]`, 'u'))
const stemmable = /^[a-z]{3,}$/
const groupedDigits = /(?<=\d),(?=\d{3}(?!\d))/g

/** Terms of one piece of text, for indexing and for queries. */
interface Terms {
  index: readonly string[]
  query: readonly string[]
}

/**
 * Begins the stems of a text in another Latin language than English, so that they meet no English words.
 * Alone it is the term of the most frequent words: an index without it needs no such stems of a query.
 */
export const foreignMark = '~'

/**
 * Turns text into terms: folded, lower case, words stemmed, identifiers whole and split, text without spaces
 * cut into words. Words are stemmed in the language of their alphabet, and Latin ones in that of the text.
 * Each instance has a bounded cache, so share it.
 */
export class Analyzer {
  #cache = new Map<string, Terms>()
  #unspaced = new UnspacedWords()

  /** Terms of a text to index, with repetitions. The most common English words are left out. */
  index(text: string): string[] {
    const terms: string[] = []
    let unspacedChars = 0
    const read = text.slice(0, maxAnalysedChars)
    const { pieces, isPlain, folded } = piecesOf(read)
    const language = pieces.length > 1 ? latinLanguageOf(folded, read) : undefined
    const written = language === undefined ? undefined : accentedWords(read)
    for (const found of pieces) {
      const isUnspaced = !isPlain && unspaced().test(found)
      if (isUnspaced) unspacedChars += found.length
      if (isUnspaced && unspacedChars > maxUnspacedChars) continue
      if (language !== undefined && latinWord.test(found)) addForeign(language, found, written, terms)
      else for (const term of this.#terms(found).index) terms.push(term)
    }
    for (const [, start, end] of read.matchAll(brokenWord()))
      for (const whole of [`${start}${end}`, `${start}-${end}`])
        terms.push(...this.#terms(foldLetters(whole)).index.slice(0, 1))
    return terms
  }

  /**
   * At most 64 distinct terms of a query in order, without question words; empty when nothing searchable is
   * left (recall.md 1.3.7).
   */
  query(text: string): string[] {
    return [...this.asked(text).keys()]
  }

  /**
   * The terms of `query`, each with the other terms that a text may have instead: stems of other languages,
   * and short forms of a commit's hash.
   */
  asked(text: string): Map<string, () => readonly string[]> {
    const terms = new Map<string, () => readonly string[]>()
    const read = text.slice(0, maxAnalysedChars)
    const { pieces, folded } = piecesOf(read)
    const language = latinLanguageOf(folded, read)
    const written = isAscii(read) ? undefined : accentedWords(read)
    const asked = pieces.filter(
      found => language === undefined || !isFrequentIn(language, found.toLowerCase()),
    )
    for (const found of asked.length > 0 ? asked : pieces) {
      const others = latinWord.test(found) ? () => foreignTerms(found.toLowerCase(), written) : undefined
      for (const term of this.#terms(found).query)
        if (!terms.has(term)) terms.set(term, others ?? (() => shortHashes(term)))
      if (terms.size >= maxQueryTerms) break
    }
    return new Map([...terms].slice(0, maxQueryTerms))
  }

  #terms(found: string): Terms {
    const known = this.#cache.get(found)
    if (known) return known
    const words = unspaced().test(found) ? this.#unspaced.of(found) : partsOf(found)
    const terms = {
      index: words.filter(word => !indexStopWords.has(word)).map(stem),
      query: words.filter(word => !queryStopWords.has(word)).map(stem),
    }
    if (found.length > longestCached) return terms
    if (this.#cache.size >= cacheEntries) this.#cache.clear()
    this.#cache.set(found, terms)
    return terms
  }
}

/** Returns true if the terms of a text hold a word of `Analyzer.asked`. */
export function holdsWord(
  terms: ReadonlySet<string>,
  [word, others]: readonly [string, () => readonly string[]],
): boolean {
  if (terms.has(word)) return true
  return (terms.has(foreignMark) || isHash(word)) && others().some(other => terms.has(other))
}

/** No identifier and no abbreviation. */
const latinWord = /^[A-Za-z][a-z]{1,63}$/

/** A word that a line end breaks, as in PDFs. */
const brokenWord = lazy(() => /(?<![\p{L}\p{N}-])(\p{L}+)[-\u2010]\r?\n[^\S\n]*(\p{Ll}+)/gu)

/** Latin words with accents by the same words without them, in lower case: stemmers know the accents. */
function accentedWords(text: string): Map<string, string> {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{Script=Latin}]+/gu) ?? []
  return new Map(words.filter(word => !isAscii(word)).map(word => [foldLetters(word), word]))
}

function addForeign(language: number, found: string, written: Map<string, string> | undefined, to: string[]) {
  const word = found.toLowerCase()
  if (indexStopWords.has(word)) return
  const stem = isFrequentIn(language, word) ? '' : stemIn(language, written?.get(word) ?? word)
  to.push(foreignMark + foldLetters(stem))
}

function foreignTerms(word: string, written: Map<string, string> | undefined): string[] {
  return [...new Set([...stemsOf(written?.get(word) ?? word)].map(each => foreignMark + foldLetters(each)))]
}

const hash = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{7,40}$/
const shortestHash = 7

/** Returns true if a word of a query may be the beginning of a commit's hash. */
export function isHash(word: string): boolean {
  return hash.test(word)
}

function shortHashes(word: string): string[] {
  if (!isHash(word)) return []
  return Array.from({ length: word.length - shortestHash }, (_, i) => word.slice(0, shortestHash + i))
}

/** @returns the pieces between spaces; `isPlain` if all text is ASCII; `folded` is the whole text. */
function piecesOf(text: string): { pieces: string[]; isPlain: boolean; folded: string } {
  const folded = foldLetters(text).replace(groupedDigits, '')
  const isPlain = isAscii(folded)
  return { pieces: folded.match(isPlain ? asciiPiece : piece()) ?? [], isPlain, folded }
}

/** Weight of a weak word of a query; other words count 1. */
export const weakWord = 0.5

/** Stems of words with less weight in queries. */
export const weakTerms: ReadonlySet<string> = new Set(weakQueryWords.map(word => stem(word)))

function stem(word: string): string {
  if (isAscii(word)) return stemmable.test(word) ? stemmer(word) : word
  return stemByScript(word)
}
