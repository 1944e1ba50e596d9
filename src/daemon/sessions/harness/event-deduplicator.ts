/** Remembers harness events, so that an agent that calls several hooks for one event is answered once. */
export interface EventDeduplicator {
  /** Records an event. @returns false when it was recorded before. */
  take(event: string): boolean
  /** Forgets an event that could not be served, so that the next call for it is served. */
  release(event: string): void
}

/** Calls for one event come within seconds, or when a starting daemon delivers queued hooks. */
const maxRemembered = 1000

export function createEventDeduplicator(): EventDeduplicator {
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
