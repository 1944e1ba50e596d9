import { stemmer } from 'stemmer'
import { lazy } from '../../../../lib/concurrency/lazy.js'
import { isAscii } from '../../../../lib/text/is-ascii.js'
import { indexStopWords, queryStopWords, weakQueryWords } from './stop-words.js'

/** A longer identifier is indexed by its parts only. */
const longestWhole = 128
/** Longer words (keys, encoded data) are known by their beginning. */
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
 * Terms of one piece of text between spaces: a plain word gives itself; an identifier, path, dotted name or
 * version gives itself whole and its parts. All in lower case, not stemmed.
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

/** `1.2.3` is found by `1.2` too; lone digits would only be noise. */
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

/** Scripts that put no spaces between words; Hangul has spaces, but glues particles to its words. */
const unspacedScripts =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}' +
  '\\p{Script=Khmer}\\p{Script=Myanmar}\u30fc'

const ideographic = lazy(() => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u)

const hangul = lazy(() => /^\p{Script=Hangul}+$/u)

/** Longer runs are cut: Intl.Segmenter takes time in proportion, and a run of this length is no sentence. */
const longestRun = 1024

/**
 * Words of text without spaces: Intl.Segmenter's words, and for Chinese, Japanese and Korean also every pair of
 * neighbouring characters, because the segmenter cuts the same word differently in a query and in a sentence.
 */
class UnspacedWords {
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

/** Changes whenever the same text may give other terms: a snapshot of another version is not loaded. */
export const analysisVersion = 1

/** Characters of one text that are analysed; what follows is not found by keyword. Keeps one save under 50 ms. */
export const maxAnalysedChars = 64_000

/** Of these, characters without spaces between words: Intl.Segmenter takes far longer than a regular expression. */
export const maxUnspacedChars = 16_000

const maxQueryTerms = 64
const cacheEntries = 50_000
const longestCached = 64

const asciiPiece = /[A-Za-z]\+\+|[A-Za-z0-9]+(?:['._\-/\\:@][A-Za-z0-9]+)*(?:#(?![A-Za-z0-9]))?/g
const letter = `(?:(?![${unspacedScripts}])[\\p{L}\\p{N}\\p{M}])`
/** Classes of Unicode take V8 milliseconds to read, which no start has to wait for. */
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

/** What one piece of text gives to the index and to a query. */
interface Terms {
  index: readonly string[]
  query: readonly string[]
}

/**
 * Turns text into terms: folded, lower case, English words stemmed, identifiers whole and split, text without
 * spaces cut into words. One instance keeps a bounded cache, so share it.
 */
export class Analyzer {
  #cache = new Map<string, Terms>()
  #unspaced = new UnspacedWords()

  /** Terms of a text to index, repeated as often as they occur. The most common English words are left out. */
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
   * Distinct terms of a query in their order, at most 64, question words left out; empty when nothing searchable
   * is left (recall.md 1.3.7).
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

/** @returns what stands between spaces, and whether all of it is ASCII. */
function piecesOf(text: string): { pieces: string[]; isPlain: boolean } {
  const folded = foldAccents(text.slice(0, maxAnalysedChars)).replace(groupedDigits, '')
  const isPlain = isAscii(folded)
  return { pieces: folded.match(isPlain ? asciiPiece : piece()) ?? [], isPlain }
}

/** The stems of the words that count less in a query. */
export const weakTerms: ReadonlySet<string> = new Set(weakQueryWords.map(word => stem(word)))

function stem(word: string): string {
  return stemmable.test(word) ? stemmer(word) : word
}

// Latin, Greek and Cyrillic accents, Hebrew points, Arabic harakat. Thai vowels and Japanese voicing marks are not
// in these ranges: there they make another letter.
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

/** Folds accents, ligatures, full-width and other compatibility forms; keeps case. Decomposed and composed text agree. */
function foldAccents(text: string): string {
  if (isAscii(text)) return text
  return text
    .normalize('NFKD')
    .replace(accents, '')
    .normalize('NFKC')
    .replace(letterPattern, letter => letters[letter]!)
}
