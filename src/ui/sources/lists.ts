/** What is typed one a line, without empty lines. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
}

/** Words that are parted by lines, spaces or commas. */
export function listOf(text: string): string[] {
  return text.split(/[\s,]+/u).filter(Boolean)
}
