/** Formats a count with its noun: `1 memory`, `12 memories`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
