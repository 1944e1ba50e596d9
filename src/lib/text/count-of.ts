/** Formats a count with its noun: `1 memory`, `12 memories`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** Formats a page of a list: `12 memories` when it shows all, otherwise `21-40 of 90 memories`. */
export function rangeOf(
  { offset, shown, total }: { offset: number; shown: number; total: number },
  all: string,
): string {
  return offset === 0 && shown === total ? all : `${offset + 1}-${offset + shown} of ${all}`
}
