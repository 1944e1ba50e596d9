/** Cuts a text to at most `length` UTF-16 units. Cut texts end in `…` and never split a character. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text
    .slice(0, length - 1)
    .replace(/[\uD800-\uDBFF]$/u, '')
    .trimEnd()}…`
}

/** Quotes the beginning of a caller's value for a message. */
export function quoted(value: string): string {
  return JSON.stringify(clip(value, 100))
}
