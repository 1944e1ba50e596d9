import { createBreaker } from '../../lib/breaker.js'
import { EmbeddingUnavailable } from './embedder.js'
import { ProviderError } from './provider.js'

export interface HealthOptions {
  now(): number
  /** Answers one short text; rejects when the provider fails or the signal ends it. */
  probe(signal: AbortSignal): Promise<unknown>
  onChange(): void
}

/** Whether calls may reach the provider. It keeps a dead or slow provider from costing every save its deadline. */
export interface Health {
  /** @throws EmbeddingUnavailable at once while the provider is known to fail, or is slower than this caller can wait. */
  admit(call: { deadlineMs: number; background: boolean }): void
  answered(): void
  answeredInTime(): void
  failed(error: unknown): void
  tooSlow(deadlineMs: number): void
  /** Asks the provider for one vector, unless it has answered before or it is too early to try again. */
  check(): void
  /** The model has just been loaded: calls that waited for that say nothing about its speed. */
  warmedUp(): void
  /** Why calls are refused, for people; undefined while all is well. */
  error(): string | undefined
  failing(): boolean
  /** Milliseconds since the epoch of the last answer or failure; null before the first. */
  checkedAt(): number | null
  /** True during the first question to a provider that has never answered. */
  checking(): boolean
  close(): void
}

const probeMs = 5_000
// A timer may fire a little before the clock says so.
const timerSlackMs = 20

/**
 * Two circuit breakers: `dead` for errors refuses every call; `slow` for missed deadlines refuses only calls that can't
 * wait longer than those did, so that background work goes on with a slow provider. No caller ever is the probe: the
 * embedder probes by itself when the time is up.
 */
export function createHealth({ now, probe, onChange }: HealthOptions): Health {
  const dead = createBreaker({ now })
  const slow = createBreaker({ now })
  const aborted = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let slowestMs = 0
  let lastError: string | undefined
  let checkedAt: number | null = null
  let proven = false
  let checking = false
  let silent = false

  const refusing = () => dead.state() !== 'closed' || slow.state() !== 'closed'

  const runProbe = async (probed: { slow: boolean }) => {
    const startedAt = performance.now()
    checking = true
    onChange()
    try {
      await probe(AbortSignal.any([aborted.signal, AbortSignal.timeout(probeMs)]))
      checking = false
      if (probed.slow && performance.now() - startedAt > slowestMs) slow.fail()
      else if (probed.slow) slow.succeed()
      answered()
    } catch (error) {
      checking = false
      if (aborted.signal.aborted) return
      if (probed.slow) slow.fail()
      const timedOut = new ProviderError(`the provider did not answer within ${probeMs} ms`)
      failed(error instanceof ProviderError ? error : timedOut, { atOnce: true })
    }
  }
  const probeWhenDue = () => {
    const due = { dead: dead.startProbe(), slow: slow.startProbe() }
    if (due.dead || due.slow) void runProbe(due)
  }
  const changed = () => {
    clearTimeout(timer)
    if (refusing() && !aborted.signal.aborted) {
      const waits = [dead, slow].filter(breaker => breaker.state() !== 'closed')
      const waitMs = Math.min(...waits.map(breaker => breaker.remainingMs()))
      timer = setTimeout(probeWhenDue, waitMs + timerSlackMs).unref()
    }
    onChange()
  }

  const answered = () => {
    checkedAt = now()
    proven = true
    silent = false
    dead.succeed()
    if (!refusing()) lastError = undefined
    changed()
  }
  const failed = (error: unknown, { atOnce = false } = {}) => {
    checkedAt = now()
    lastError = error instanceof Error ? error.message : String(error)
    const failure = error instanceof ProviderError ? error : new ProviderError(lastError)
    dead.fail({ atOnce: atOnce || failure.atOnce, minOpenMs: failure.retryAfterMs })
    changed()
  }

  return {
    admit({ deadlineMs, background }) {
      const tooSlow = !background && slow.state() !== 'closed' && deadlineMs <= slowestMs
      if (dead.state() === 'closed' && !tooSlow) return
      probeWhenDue()
      throw new EmbeddingUnavailable(lastError ?? 'the embedding provider does not answer')
    },
    answered,
    answeredInTime() {
      if (slow.state() === 'closed') slow.succeed()
    },
    failed,
    tooSlow(deadlineMs) {
      checkedAt = now()
      slowestMs = Math.max(slowestMs, deadlineMs)
      silent = true
      // One that has never answered is not there: the next saves need not find that out once more.
      slow.fail({ atOnce: !proven })
      if (slow.state() === 'open') lastError = `the provider takes longer than ${slowestMs} ms`
      changed()
    },
    check() {
      if (refusing()) probeWhenDue()
      else if (!proven && !checking) void runProbe({ slow: false })
    },
    warmedUp() {
      slow.reset()
      slowestMs = 0
      if (!refusing()) lastError = undefined
      changed()
    },
    error: () => lastError,
    failing: () => dead.state() !== 'closed' || (slow.state() !== 'closed' && silent),
    checkedAt: () => checkedAt,
    checking: () => checking && !proven,
    close() {
      clearTimeout(timer)
      aborted.abort()
    },
  }
}
