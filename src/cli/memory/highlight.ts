import { stemmer } from 'stemmer'
import type { Paint } from '../terminal/text.js'

/** Words without meaning for the subject, which are not worth highlighting. */
const stopWords = new Set(
  (
    'a an and are as at be been by can could did do does for from had has have how i if in into is it its me my of ' +
    'on or our should so that the their them then there these they this to us was we were what when where which ' +
    'who why will with would you your'
  ).split(' '),
)

interface Word {
  start: number
  text: string
}

/**
 * Returns the stems of a query that are worth highlighting.
 * @returns stems without accents, in lower case; parts of identifiers are separate stems.
 */
export function queryStems(query: string): ReadonlySet<string> {
  const stems = wordsOf(query).flatMap(word => stemsOf(word.text))
  const telling = stems.filter(stem => !stopWords.has(stem))
  return new Set(telling.length > 0 ? telling : stems)
}

/**
 * Highlights every word whose stem occurs in the query: `deploying` for `deploys`. The text itself is
 * unchanged.
 */
export function highlight(text: string, stems: ReadonlySet<string>, paint: Paint): string {
  if (stems.size === 0) return text
  let marked = ''
  let position = 0
  for (const word of wordsOf(text)) {
    if (!stemsOf(word.text).some(stem => stems.has(stem))) continue
    marked += text.slice(position, word.start) + paint(word.text)
    position = word.start + word.text.length
  }
  return marked + text.slice(position)
}

/** Returns the words of a text whose stems occur in the query, each once, as the text writes them first. */
export function matchedWords(text: string, stems: ReadonlySet<string>): string[] {
  const words = new Map<string, string>()
  for (const word of wordsOf(text)) {
    const stem = stemsOf(word.text).find(one => stems.has(one))
    if (stem !== undefined && !words.has(stem)) words.set(stem, word.text)
  }
  return [...words.values()]
}

/** Returns the position of the first highlighted word; -1 if there is none. */
export function firstMatch(text: string, stems: ReadonlySet<string>): number {
  return wordsOf(text).find(word => stemsOf(word.text).some(stem => stems.has(stem)))?.start ?? -1
}

/** Scripts without spaces need the segmenter; for all others a pattern is faster and just as accurate. */
function wordsOf(text: string): Word[] {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(text)) {
    const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)
    return Array.from(segments)
      .filter(part => part.isWordLike)
      .map(part => ({ start: part.index, text: part.segment }))
  }
  return Array.from(text.matchAll(/[\p{L}\p{N}\p{M}]+/gu), match => ({ start: match.index, text: match[0] }))
}

/** Returns the stem of the word and of its camelCase parts. */
function stemsOf(word: string): string[] {
  const parts = word.match(/\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? []
  return (parts.length > 1 ? [word, ...parts] : [word]).map(stemOf)
}

function stemOf(word: string): string {
  return stemmer(word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase())
}
