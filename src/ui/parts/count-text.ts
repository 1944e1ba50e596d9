/** Formats a count with its noun and thousands separators: `12,000 memories`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`
}
