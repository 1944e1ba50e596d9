import { stemmer } from 'stemmer'
import type { Paint } from '../terminal/text.js'

/** Words that say nothing about the subject; marking them would only make noise. */
const silent = new Set(
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
 * What of a query is worth marking in an answer.
 * @returns stems without accents, in lower case; parts of identifiers count on their own.
 */
export function queryStems(query: string): ReadonlySet<string> {
  const stems = wordsOf(query).flatMap(word => stemsOf(word.text))
  const telling = stems.filter(stem => !silent.has(stem))
  return new Set(telling.length > 0 ? telling : stems)
}

/** Marks every word whose stem the query has: `deploying` is marked for `deploys`. The text itself stays as it is. */
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

/** Where the first marked word of a text begins, -1 when there is none. */
export function firstMatch(text: string, stems: ReadonlySet<string>): number {
  return wordsOf(text).find(word => stemsOf(word.text).some(stem => stems.has(stem)))?.start ?? -1
}

/** Scripts without spaces need the segmenter; everything else is faster and just as right by pattern. */
function wordsOf(text: string): Word[] {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(text)) {
    const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)
    return Array.from(segments)
      .filter(part => part.isWordLike)
      .map(part => ({ start: part.index, text: part.segment }))
  }
  return Array.from(text.matchAll(/[\p{L}\p{N}\p{M}]+/gu), match => ({ start: match.index, text: match[0] }))
}

/** The word, and the parts of a camelCase one. */
function stemsOf(word: string): string[] {
  const parts = word.match(/\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? []
  return (parts.length > 1 ? [word, ...parts] : [word]).map(stemOf)
}

function stemOf(word: string): string {
  return stemmer(word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase())
}
