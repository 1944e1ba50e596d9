import { createBreaker } from '../../lib/concurrency/breaker.js'
import { messageOf } from '../../lib/text/message-of.js'
import { EmbeddingUnavailable } from './embedder.js'
import { ProviderError } from './provider.js'

export interface HealthOptions {
  now(): number
  /** Embeds one short text; rejects when the provider fails or the signal aborts. */
  probe(signal: AbortSignal): Promise<unknown>
  onChange(): void
}

/** Decides whether calls may reach the provider, so that saves do not each wait for a dead or slow one. */
export interface Health {
  /**
   * @throws EmbeddingUnavailable at once while the provider is known to fail, or is too slow for this
   * deadline.
   */
  admit(call: { deadlineMs: number; background: boolean }): void
  answered(): void
  answeredInTime(): void
  failed(error: unknown): void
  tooSlow(deadlineMs: number): void
  /** Requests one vector, unless the provider has answered before or it is too early to retry. */
  check(): void
  /** Call it when the model was just loaded: calls that waited for loading do not count as slow. */
  warmedUp(): void
  /** Returns why calls are refused, for users; undefined while all is well. */
  error(): string | undefined
  failing(): boolean
  /** Milliseconds since the epoch of the last answer or failure; null before the first. */
  checkedAt(): number | null
  /** Returns true during the first call to a provider that has never answered. */
  checking(): boolean
  close(): void
}

const probeMs = 5_000
// A timer may fire slightly early.
const timerSlackMs = 20

/** Callers never act as the probe: the embedder probes the provider itself after the pause. */
export function createHealth({ now, probe, onChange }: HealthOptions): Health {
  const record = createProviderRecord(now)
  const aborted = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let checking = false

  const changed = () => {
    clearTimeout(timer)
    if (record.refusesAny() && !aborted.signal.aborted)
      timer = setTimeout(probeWhenDue, record.remainingMs() + timerSlackMs).unref()
    onChange()
  }
  /** Wraps a state change so that listeners are notified. */
  const withNotification =
    <Told extends unknown[]>(work: (...told: Told) => void) =>
    (...told: Told) => {
      work(...told)
      changed()
    }
  const runProbe = async (due: ProbeTargets) => {
    checking = true
    onChange()
    const end = await ask(probe, aborted.signal)
    checking = false
    if (end.error && aborted.signal.aborted) return
    noteProbe(record, due, end)
    changed()
  }
  const probeWhenDue = () => {
    const due = record.startProbe()
    if (due.dead || due.slow) void runProbe(due)
  }

  return {
    admit(call) {
      if (!record.refuses(call)) return
      probeWhenDue()
      throw new EmbeddingUnavailable(record.error() ?? 'the embedding provider does not answer')
    },
    // Nearly every call changes nothing that listeners need.
    answered: () => record.answered() && changed(),
    answeredInTime: record.answeredInTime,
    failed: withNotification((error: unknown) => record.failed(error)),
    tooSlow: withNotification(record.tooSlow),
    check() {
      if (record.refusesAny()) probeWhenDue()
      else if (!record.isProven() && !checking) void runProbe({ dead: true, slow: false })
    },
    warmedUp: withNotification(record.forgetSpeed),
    error: record.error,
    failing: record.failing,
    checkedAt: record.checkedAt,
    checking: () => checking && !record.isProven(),
    close() {
      clearTimeout(timer)
      aborted.abort()
    },
  }
}

/** The result of a probe. */
interface ProbeResult {
  tookMs: number
  error?: ProviderError
}

async function ask(probe: HealthOptions['probe'], signal: AbortSignal): Promise<ProbeResult> {
  const startedAt = performance.now()
  try {
    await probe(AbortSignal.any([signal, AbortSignal.timeout(probeMs)]))
    return { tookMs: performance.now() - startedAt }
  } catch (reason) {
    const timedOut = new ProviderError(`the provider did not answer within ${probeMs} ms`)
    return {
      tookMs: performance.now() - startedAt,
      error: reason instanceof ProviderError ? reason : timedOut,
    }
  }
}

function noteProbe(record: ProviderRecord, due: ProbeTargets, { tookMs, error }: ProbeResult): void {
  if (error) {
    if (due.slow) record.stayedSlow()
    record.failed(error, { atOnce: true })
    return
  }
  if (due.slow) record.took(tookMs)
  record.answered()
}

/** The breakers that a probe decides about. */
interface ProbeTargets {
  dead: boolean
  slow: boolean
}

/** State of a provider: its answers and failures, and which calls are refused because of them. */
interface ProviderRecord {
  refuses(call: { deadlineMs: number; background: boolean }): boolean
  /** Returns whether some calls are refused. */
  refusesAny(): boolean
  /** Milliseconds until the next probe is allowed; only valid while some calls are refused. */
  remainingMs(): number
  /** Claims the due probe; its result must be reported. */
  startProbe(): ProbeTargets
  /** @returns whether the state changed: it refused calls, or had never answered. */
  answered(): boolean
  answeredInTime(): void
  /** Reports the duration of a probe of the `slow` breaker. */
  took(ms: number): void
  failed(error: unknown, how?: { atOnce: boolean }): void
  tooSlow(deadlineMs: number): void
  /** Reports that a probe of the `slow` breaker failed. */
  stayedSlow(): void
  /** Discards the measured speed. */
  forgetSpeed(): void
  /** Returns why calls are refused, for users; undefined while all is well. */
  error(): string | undefined
  failing(): boolean
  /** Returns true once it has answered. */
  isProven(): boolean
  /** Milliseconds since the epoch of the last answer or failure; null before the first. */
  checkedAt(): number | null
}

/**
 * Two circuit breakers: `dead` (errors) refuses every call; `slow` (missed deadlines) refuses only calls with
 * equal or shorter deadlines, so that background work continues with a slow provider.
 */
function createProviderRecord(now: () => number): ProviderRecord {
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
      lastError = messageOf(error)
      const failure = error instanceof ProviderError ? error : new ProviderError(lastError)
      dead.fail({ atOnce: atOnce || failure.atOnce, minOpenMs: failure.retryAfterMs })
    },
    tooSlow(deadlineMs) {
      checkedAt = now()
      slowestMs = Math.max(slowestMs, deadlineMs)
      silent = true
      // A provider that has never answered is probably absent, so the breaker opens at once.
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
