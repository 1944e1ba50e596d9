/** Maximum number of lines in the page and in the daemon. */
export const keptLines = 2000

interface Line {
  at: string
}

/**
 * Merges new lines into known ones: sorted by time, without duplicates, limited to the newest. A new line is
 * a duplicate if all its fields equal those of a known one.
 */
export function mergeLines<L extends Line>(known: readonly L[], more: readonly L[], kept = keptLines): L[] {
  const seen = new Set(known.map(line => JSON.stringify(line)))
  const fresh = more.filter(line => !seen.has(JSON.stringify(line)))
  // The sort is stable, so lines of the same time keep their order.
  return [...known, ...fresh].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).slice(-kept)
}
