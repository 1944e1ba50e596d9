/** Remembers events of harnesses: an agent that calls several of our hooks for one event is answered once. */
export interface HeardEvents {
  /** Notes an event. @returns false when it was noted before. */
  take(event: string): boolean
  /** Forgets an event that could not be served, so that the next call for it is. */
  release(event: string): void
}

/**
 * Enough events to remember: calls for one event come within seconds, or when a daemon starts and empties the spool.
 */
const maxRemembered = 1000

export function createHeardEvents(): HeardEvents {
  const heard = new Set<string>()
  return {
    take: event => {
      if (heard.has(event)) return false
      heard.add(event)
      for (const oldest of heard) {
        if (heard.size <= maxRemembered) break
        heard.delete(oldest)
      }
      return true
    },
    release: event => void heard.delete(event),
  }
}
