const lineEnd = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u
/** Deepest list that keeps its place, in spaces. */
const maxIndent = 8

/** The lines of a note that say something, with their indentation and single spaces between their words. */
export function linesOf(text: string): string[] {
  return text.split(lineEnd).flatMap(line => {
    const words = line.replace(/[\s\p{Cc}]+/gu, ' ').trim()
    if (words === '') return []
    const indent = line.length - line.trimStart().length
    return [' '.repeat(Math.min(indent, maxIndent)) + words]
  })
}

/** An item of a list with a note in it: beside its label when it is one line, else below it, so that lists stay lists. */
export function noteItem(label: string, lines: readonly string[]): string {
  if (lines.length <= 1) return `${label} ${lines.join('').trim()}`
  return [label, ...lines.map(line => `  ${line}`)].join('\n')
}
