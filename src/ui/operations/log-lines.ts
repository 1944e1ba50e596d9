/** Lines that the page keeps, and the daemon too. */
export const keptLines = 2000

interface Line {
  at: string
}

/**
 * What is known of a log or a list of events, with what came now: in the order of time, nothing twice, the newest kept.
 * Of what came, that is left out which is known by all that it says.
 */
export function withMore<L extends Line>(known: readonly L[], more: readonly L[], kept = keptLines): L[] {
  const told = new Set(known.map(line => JSON.stringify(line)))
  const fresh = more.filter(line => !told.has(JSON.stringify(line)))
  // A sort keeps the order of what has the same time.
  return [...known, ...fresh].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).slice(-kept)
}
