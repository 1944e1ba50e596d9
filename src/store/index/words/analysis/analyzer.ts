import { stemmer } from 'stemmer'
import { lazy } from '../../../../lib/concurrency/lazy.js'
import { isAscii } from '../../../../lib/text/is-ascii.js'
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

/** Increment when a text may yield other terms: snapshots of other versions are not loaded. */
export const analysisVersion = 1

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
 * Turns text into terms: folded, lower case, English words stemmed, identifiers whole and split, text without
 * spaces cut into words. Each instance has a bounded cache, so share it.
 */
export class Analyzer {
  #cache = new Map<string, Terms>()
  #unspaced = new UnspacedWords()

  /** Terms of a text to index, with repetitions. The most common English words are left out. */
  index(text: string): string[] {
    const terms: string[] = []
    let unspacedChars = 0
    const { pieces, isPlain } = piecesOf(text)
    for (const found of pieces) {
      const isUnspaced = !isPlain && unspaced().test(found)
      if (isUnspaced) unspacedChars += found.length
      if (isUnspaced && unspacedChars > maxUnspacedChars) continue
      for (const term of this.#terms(found).index) terms.push(term)
    }
    return terms
  }

  /**
   * At most 64 distinct terms of a query in order, without question words; empty when nothing searchable is
   * left (recall.md 1.3.7).
   */
  query(text: string): string[] {
    const terms = new Set<string>()
    for (const found of piecesOf(text).pieces) {
      for (const term of this.#terms(found).query) terms.add(term)
      if (terms.size >= maxQueryTerms) break
    }
    return [...terms].slice(0, maxQueryTerms)
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

/** @returns the pieces between spaces; `isPlain` if all text is ASCII. */
function piecesOf(text: string): { pieces: string[]; isPlain: boolean } {
  const folded = foldAccents(text.slice(0, maxAnalysedChars)).replace(groupedDigits, '')
  const isPlain = isAscii(folded)
  return { pieces: folded.match(isPlain ? asciiPiece : piece()) ?? [], isPlain }
}

/** Weight of a weak word of a query; other words count 1. */
export const weakWord = 0.5

/** Stems of words with less weight in queries. */
export const weakTerms: ReadonlySet<string> = new Set(weakQueryWords.map(word => stem(word)))

function stem(word: string): string {
  return stemmable.test(word) ? stemmer(word) : word
}

// Latin, Greek and Cyrillic accents, Hebrew points, Arabic harakat. Thai vowels and Japanese voicing marks
// are excluded: they make another letter.
const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]|\ufe0e|\ufe0f/g

const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  ł: 'l',
  Ł: 'L',
  þ: 'th',
  Þ: 'TH',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
}

const letterPattern = new RegExp(`[${Object.keys(letters).join('')}]`, 'g')

/**
 * Folds accents, ligatures, full-width and other compatibility forms; keeps case. Decomposed and composed
 * forms match.
 */
function foldAccents(text: string): string {
  if (isAscii(text)) return text
  return text
    .normalize('NFKD')
    .replace(accents, '')
    .normalize('NFKC')
    .replace(letterPattern, letter => letters[letter]!)
}
