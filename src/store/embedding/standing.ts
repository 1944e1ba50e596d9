import { createBreaker } from '../../lib/concurrency/breaker.js'
import { ProviderError } from './provider.js'

/** Which breakers a question to the provider decides about. */
export interface Due {
  dead: boolean
  slow: boolean
}

/** What is known of a provider: what it answered, what it failed at, and which calls that speaks against. */
export interface Standing {
  refuses(call: { deadlineMs: number; background: boolean }): boolean
  /** Whether some calls are refused. */
  refusesAny(): boolean
  /** Milliseconds until the provider may be asked again; it has to refuse some calls. */
  remainingMs(): number
  /** Claims the question that is due; its end must be told. */
  startProbe(): Due
  /** @returns whether that is news: it refused calls, or had never answered. */
  answered(): boolean
  answeredInTime(): void
  /** How long it took to answer what decides about its speed. */
  took(ms: number): void
  failed(error: unknown, how?: { atOnce: boolean }): void
  tooSlow(deadlineMs: number): void
  /** It did not answer what decides about its speed. */
  stayedSlow(): void
  /** Its speed so far counts no more. */
  forgetSpeed(): void
  /** Why calls are refused, for people; undefined while all is well. */
  error(): string | undefined
  failing(): boolean
  /** True once it has answered. */
  isProven(): boolean
  /** Milliseconds since the epoch of the last answer or failure; null before the first. */
  checkedAt(): number | null
}

/**
 * Two circuit breakers: `dead` for errors refuses every call; `slow` for missed deadlines refuses only calls that can't
 * wait longer than those did, so that background work goes on with a slow provider.
 */
export function createStanding(now: () => number): Standing {
  const dead = createBreaker({ now })
  const slow = createBreaker({ now })
  const open = () => [dead, slow].filter(breaker => breaker.state() !== 'closed')
  let slowestMs = 0
  let lastError: string | undefined
  let checkedAt: number | null = null
  let proven = false
  let silent = false
  const forgiveIfClosed = () => {
    if (open().length === 0) lastError = undefined
  }
  return {
    refuses: ({ deadlineMs, background }) =>
      dead.state() !== 'closed' || (!background && slow.state() !== 'closed' && deadlineMs <= slowestMs),
    refusesAny: () => open().length > 0,
    remainingMs: () => Math.min(...open().map(breaker => breaker.remainingMs())),
    startProbe: () => ({ dead: dead.startProbe(), slow: slow.startProbe() }),
    answered() {
      const isNews = !proven || lastError !== undefined || open().length > 0
      checkedAt = now()
      proven = true
      silent = false
      dead.succeed()
      forgiveIfClosed()
      return isNews
    },
    answeredInTime() {
      if (slow.state() === 'closed') slow.succeed()
    },
    took: ms => (ms > slowestMs ? slow.fail() : slow.succeed()),
    failed(error, { atOnce } = { atOnce: false }) {
      checkedAt = now()
      lastError = error instanceof Error ? error.message : String(error)
      const failure = error instanceof ProviderError ? error : new ProviderError(lastError)
      dead.fail({ atOnce: atOnce || failure.atOnce, minOpenMs: failure.retryAfterMs })
    },
    tooSlow(deadlineMs) {
      checkedAt = now()
      slowestMs = Math.max(slowestMs, deadlineMs)
      silent = true
      // One that has never answered is not there: the next saves need not find that out once more.
      slow.fail({ atOnce: !proven })
      if (slow.state() === 'open') lastError = `the provider takes longer than ${slowestMs} ms`
    },
    stayedSlow: () => slow.fail(),
    forgetSpeed() {
      slow.reset()
      slowestMs = 0
      forgiveIfClosed()
    },
    error: () => lastError,
    failing: () => dead.state() !== 'closed' || (slow.state() !== 'closed' && silent),
    isProven: () => proven,
    checkedAt: () => checkedAt,
  }
}
