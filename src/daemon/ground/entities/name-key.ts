/** Words of names are letters and digits with the signs that tell some apart (C, C++ and C#); scripts without spaces count by character. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+[+#]*/gu

/** The words of a text, folded so that case, accents and width do not count. */
export function nameWords(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFKC')
    .toLowerCase()
  return folded.match(word) ?? []
}

/** Names are found in a text by at most so many words. */
const maxNameWords = 6

/** Every run of words that begins at one of them and may be a name, as its key. */
export function runsAt(words: readonly string[], at: number): string[] {
  const runs: string[] = []
  for (const word of words.slice(at, at + maxNameWords))
    runs.push(runs.length === 0 ? word : `${runs.at(-1)} ${word}`)
  return runs
}

/** What a name is looked up by: its folded words with one space between; '' for a name without any. */
export function nameKey(name: string): string {
  return nameWords(name).join(' ')
}
