export interface BreakerOptions {
  /** Consecutive failures that open the breaker. */
  threshold?: number
  /** Length of the first open period; each reopening doubles it. */
  openMs?: number
  maxOpenMs?: number
  /** Milliseconds since any fixed moment. */
  now(): number
}

export const breakerStates = ['closed', 'open', 'half-open'] as const
export type BreakerState = (typeof breakerStates)[number]

export interface Breaker {
  state(): BreakerState
  /** True for one caller once the open period is over; that caller must report with `succeed` or `fail`. */
  startProbe(): boolean
  succeed(): void
  /**
   * @param failure `atOnce` opens below the threshold too; `minOpenMs` is the wait the other side asked for.
   */
  fail(failure?: { atOnce?: boolean; minOpenMs?: number }): void
  /** Milliseconds until it is half-open; 0 unless it is open. */
  remainingMs(): number
  /** Forgets every failure. */
  reset(): void
}

/**
 * Creates a circuit breaker. After consecutive failures it refuses calls for a period that doubles as long as
 * the other side stays broken. After a recovery a single failure reopens it, until as many consecutive calls
 * as the threshold have succeeded.
 */
export function createBreaker({
  threshold = 3,
  openMs = 1_000,
  maxOpenMs = 300_000,
  now,
}: BreakerOptions): Breaker {
  let failures = 0
  let successes = 0
  let trips = 0
  let openUntil: number | null = null
  let probing = false

  const state = () => {
    if (openUntil === null) return 'closed'
    return now() < openUntil ? 'open' : 'half-open'
  }
  const reset = () => {
    failures = 0
    successes = 0
    trips = 0
    openUntil = null
    probing = false
  }

  return {
    state,
    reset,
    startProbe() {
      if (state() !== 'half-open' || probing) return false
      probing = true
      return true
    },
    succeed() {
      failures = 0
      successes += 1
      openUntil = null
      probing = false
      if (successes >= threshold) trips = 0
    },
    fail({ atOnce = false, minOpenMs = 0 } = {}) {
      // Calls that began before the breaker opened do not count.
      if (state() === 'open') return
      failures += 1
      successes = 0
      probing = false
      if (!atOnce && trips === 0 && failures < threshold) return
      const growingMs = Math.min(openMs * 2 ** trips, maxOpenMs)
      openUntil = now() + Math.min(Math.max(growingMs, minOpenMs), maxOpenMs)
      trips += 1
    },
    remainingMs: () => Math.max(0, (openUntil ?? 0) - now()),
  }
}
