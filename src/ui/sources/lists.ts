/** Splits a text into non-empty lines. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
}

/** Splits a text at white space and commas. */
export function listOf(text: string): string[] {
  return text.split(/[\s,]+/u).filter(Boolean)
}
