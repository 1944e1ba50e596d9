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

/** Splits a list into slices of at most `size`, in order. */
export function slicesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, slice) =>
    items.slice(slice * size, (slice + 1) * size),
  )
}
