/** Remembers harness events, so that an agent that calls several hooks for one event is answered once. */
export interface EventDeduplicator {
  /**
   * Records an event. @param withinMs an older one with the same name was another event.
   * @returns false when it was recorded before.
   */
  take(event: string, withinMs?: number): boolean
  /** Forgets an event that could not be served, so that the next call for it is served. */
  release(event: string): void
}

/** Calls for one event come within seconds, or when a starting daemon delivers queued hooks. */
const maxRemembered = 1000

/** @param now milliseconds. */
export function createEventDeduplicator(now = () => performance.now()): EventDeduplicator {
  const heard = new Map<string, number>()
  return {
    take: (event, withinMs = Number.POSITIVE_INFINITY) => {
      const last = heard.get(event)
      if (last !== undefined && now() - last < withinMs) return false
      heard.delete(event)
      heard.set(event, now())
      for (const oldest of heard.keys()) {
        if (heard.size <= maxRemembered) break
        heard.delete(oldest)
      }
      return true
    },
    release: event => void heard.delete(event),
  }
}
