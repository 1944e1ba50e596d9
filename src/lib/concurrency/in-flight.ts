/** Something that is under way. */
export interface UnderWay<About> {
  about: About
  /** Since when, by a monotonic clock. */
  ageMs: number
}

/** What is under way now, and what about. */
export interface InFlight<About> {
  /** @returns call it at the end; a second call does nothing. */
  enter(about: About): () => void
  all(): UnderWay<About>[]
}

export function createInFlight<About>(now: () => number = () => performance.now()): InFlight<About> {
  const inside = new Map<symbol, { about: About; since: number }>()
  return {
    enter: about => {
      const ticket = Symbol('under way')
      inside.set(ticket, { about, since: now() })
      return () => void inside.delete(ticket)
    },
    all: () => [...inside.values()].map(({ about, since }) => ({ about, ageMs: now() - since })),
  }
}

/** The age of the oldest; null where there is none. */
export function oldestOf(underWay: readonly UnderWay<unknown>[]): number | null {
  return underWay.length > 0 ? Math.round(Math.max(...underWay.map(({ ageMs }) => ageMs))) : null
}
