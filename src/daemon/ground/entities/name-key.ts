import { isAscii } from '../../../lib/text/is-ascii.js'

/**
 * A name's words: letters and digits with + and # (C, C++, C#). Scripts without spaces count by character.
 */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+[+#]*/gu

/** The same without accents and other scripts, for most names. */
const asciiWord = /[a-z0-9]+[+#]*/gu

/** The words of a text, folded so that case, accents and width do not count. */
export function nameWords(text: string): string[] {
  if (isAscii(text)) return text.toLowerCase().match(asciiWord) ?? []
  const folded = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFKC')
    .toLowerCase()
  return folded.match(word) ?? []
}

/** Longest name, in words, that is recognised in a text. */
const maxNameWords = 6

/** Every run of words starting at `at` that may be a name, as name keys. */
export function runsAt(words: readonly string[], at: number): string[] {
  const runs: string[] = []
  for (const word of words.slice(at, at + maxNameWords))
    runs.push(runs.length === 0 ? word : `${runs.at(-1)} ${word}`)
  return runs
}

/** The lookup key of a name: its folded words joined by spaces; '' if it has none. */
export function nameKey(name: string): string {
  return nameWords(name).join(' ')
}
