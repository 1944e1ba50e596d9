/** Events of harnesses that were told of, so that one that calls several hooks of ours for an event is served once. */
export interface HeardEvents {
  /** Notes an event. @returns false for one that is served already. */
  take(event: string): boolean
  /** The event was not served after all: whoever tells of it next is heard. */
  release(event: string): void
}

/** Hooks of one event come within seconds; one that waited for a daemon comes again when that starts. */
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
