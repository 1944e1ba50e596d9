import { setTimeout as delay } from 'node:timers/promises'

/** An operation that has not ended yet. */
export interface RunningOperation<About> {
  about: About
  /** Time since its start, on a monotonic clock. */
  ageMs: number
}

/** Registry of the operations that are running now. */
export interface InFlight<About> {
  /** @returns a function to call at the end; a second call has no effect. */
  enter(about: About): () => void
  all(): RunningOperation<About>[]
}

/** Counts running operations for callers that wait until none is left. */
export interface Traffic {
  /** @returns a function to call at the end; a second call has no effect. */
  enter(): () => void
  /** Resolves once nothing is running or the signal is aborted; returns undefined if that is already so. */
  quiet(signal: AbortSignal): Promise<void> | undefined
  isQuiet(): boolean
  /** Milliseconds since the last operation ended, or since the creation; 0 while one runs. */
  quietMs(): number
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

/** Returns the age of the oldest operation in milliseconds, or null for an empty list. */
export function oldestOf(underWay: readonly RunningOperation<unknown>[]): number | null {
  return underWay.length > 0 ? Math.round(Math.max(...underWay.map(({ ageMs }) => ageMs))) : null
}

export function createTraffic(now: () => number = () => performance.now()): Traffic {
  const inside = new Set<symbol>()
  const waiting = new Set<() => void>()
  let endedAt = now()
  return {
    enter: () => {
      const ticket = Symbol('under way')
      inside.add(ticket)
      return () => {
        if (!inside.delete(ticket)) return
        endedAt = now()
        if (inside.size > 0) return
        for (const goOn of waiting) goOn()
      }
    },
    isQuiet: () => inside.size === 0,
    quietMs: () => (inside.size > 0 ? 0 : now() - endedAt),
    quiet: signal => {
      if (inside.size === 0 || signal.aborted) return undefined
      return new Promise(resolve => {
        const goOn = (): void => {
          waiting.delete(goOn)
          signal.removeEventListener('abort', goOn)
          resolve()
        }
        waiting.add(goOn)
        signal.addEventListener('abort', goOn)
      })
    },
  }
}

interface RestOptions {
  restMs: number
  longestMs: number
  /** Passed by tests, with the clock of the traffic. */
  now?: () => number
  wait?: (ms: number) => Promise<unknown>
}

/** Waits until nothing has run for `restMs`. Under constant traffic it ends after `longestMs`. */
export async function untilRested(
  { quietMs }: Pick<Traffic, 'quietMs'>,
  { restMs, longestMs, now = () => performance.now(), wait = delay }: RestOptions,
): Promise<void> {
  const end = now() + longestMs
  for (let left = restMs - quietMs(); left > 0 && now() < end; left = restMs - quietMs())
    await wait(Math.min(left, end - now()))
}
