import { nameWords } from './name-key.js'

/** A word as it stands in a text, with the signs that tell names apart (C++, C#). */
const written = /[\p{L}\p{M}\p{N}]+[+#]*/gu

/** A folded word with where it was written. */
interface Placed {
  word: string
  start: number
  end: number
}

/**
 * Where a text names something, word for word as it is written there: the first run of words that fold to the key.
 * @param key folded words with one space between, see `nameKey`.
 * @returns undefined where the text does not name it.
 */
export function quoteOfName(text: string, key: string): string | undefined {
  const wanted = key.split(' ')
  const words = placedWords(text)
  for (let at = 0; at + wanted.length <= words.length; at++) {
    if (!wanted.every((word, offset) => words[at + offset]?.word === word)) continue
    return text.slice(words[at]?.start, words[at + wanted.length - 1]?.end)
  }
  return undefined
}

/** In scripts without spaces each character is a word; all of a written run then stands for each of them. */
function placedWords(text: string): Placed[] {
  return [...text.matchAll(written)].flatMap(({ 0: run, index }) =>
    nameWords(run).map(word => ({ word, start: index, end: index + run.length })),
  )
}
