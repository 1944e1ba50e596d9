const lineEnd = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u
/** Deepest list indentation that is preserved, in spaces. */
const maxIndent = 8

/** The non-empty lines of a note, with their indentation and single spaces between words. */
export function linesOf(text: string): string[] {
  return text.split(lineEnd).flatMap(line => {
    const words = line.replace(/[\s\p{Cc}]+/gu, ' ').trim()
    if (words === '') return []
    const indent = line.length - line.trimStart().length
    return [' '.repeat(Math.min(indent, maxIndent)) + words]
  })
}

/** Formats a note as a list item: a single line beside the label, several lines indented below it. */
export function noteItem(label: string, lines: readonly string[]): string {
  if (lines.length <= 1) return `${label} ${lines.join('').trim()}`
  return [label, ...lines.map(line => `  ${line}`)].join('\n')
}
