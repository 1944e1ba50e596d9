/** A text of at most `length` UTF-16 units: cut ones end in `…`, never in half a character. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text
    .slice(0, length - 1)
    .replace(/[\uD800-\uDBFF]$/u, '')
    .trimEnd()}…`
}

/** The beginning of a caller's value as a message quotes it. */
export function quoted(value: string): string {
  return JSON.stringify(clip(value, 100))
}
