/** A text of at most `length` UTF-16 units: cut ones end in `…`, never in half a character. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text
    .slice(0, length - 1)
    .replace(/[\uD800-\uDBFF]$/u, '')
    .trimEnd()}…`
}
