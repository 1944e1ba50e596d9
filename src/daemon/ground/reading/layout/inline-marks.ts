/** Words between the marks of Markdown: bold, italics, code, a link to another note. */
const marked =
  /(?<![\p{L}\p{N}_*`/.\\[])(?:(\*{1,3})(?=[^\s*])([^*\n]{1,120})(?<![\s\\])\1|(_)(?=[^\s_])([^_\n]{1,120})(?<![\s\\])_|(`)([^`\n]{1,120})`|(\[\[)([^[\]|\n]{1,120})\]\])(?![\p{L}\p{N}_*`])/gu
const beginsName = /^[\p{L}\p{N}@"'~<≤≥/.`]/u
const plainWords = /^\p{L}+$|\s/u

/**
 * Takes the marks of Markdown off the names and values of a line. A command stays in its marks, and so does
 * a plain word of code, which could be read as a verb: `deploy`.
 * @returns the line, and a function that finds the words of the given line for those of the result
 */
export function withoutMarks(line: string): { text: string; given(part: string): string } {
  /** Places in the given line of each character of the result. */
  const places: number[] = []
  let text = ''
  let last = 0
  const keep = (from: number, to: number): void => {
    for (let at = from; at < to; at++) places.push(at)
    text += line.slice(from, to)
  }
  for (const found of line.matchAll(marked)) {
    const [whole, , bold, , italic, , code, , link] = found
    const inner = bold ?? italic ?? code ?? link ?? ''
    if (!beginsName.test(inner) || (code !== undefined && plainWords.test(code))) continue
    const begin = found.index + whole.indexOf(inner)
    keep(last, found.index)
    keep(begin, begin + inner.length)
    last = found.index + whole.length
  }
  if (last === 0) return { text: line, given: part => part }
  keep(last, line.length)
  return {
    text,
    given: part => {
      const at = text.indexOf(part)
      // Marks beside the words belong to them.
      return at < 0 ? part : line.slice((places[at - 1] ?? -1) + 1, places[at + part.length])
    },
  }
}
