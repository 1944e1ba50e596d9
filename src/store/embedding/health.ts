import { createBreaker } from '../../lib/concurrency/breaker.js'
import { messageOf } from '../../lib/text/message-of.js'
import { EmbeddingUnavailable } from './embedder.js'
import { ProviderError } from './provider.js'

export interface HealthOptions {
  now(): number
  /** Answers one short text; rejects when the provider fails or the signal ends it. */
  probe(signal: AbortSignal): Promise<unknown>
  onChange(): void
}

/** Decides whether calls may reach the provider, so that a dead or slow one does not cost every save its deadline. */
export interface Health {
  /** @throws EmbeddingUnavailable at once while the provider is known to fail, or is slower than this caller can wait. */
  admit(call: { deadlineMs: number; background: boolean }): void
  answered(): void
  answeredInTime(): void
  failed(error: unknown): void
  tooSlow(deadlineMs: number): void
  /** Asks the provider for one vector, unless it has answered before or it is too early to try again. */
  check(): void
  /** Call it when the model has just been loaded: calls that waited for that do not count as slow. */
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

/** No caller ever is the probe: the embedder probes by itself when the time is up. */
export function createHealth({ now, probe, onChange }: HealthOptions): Health {
  const standing = createStanding(now)
  const aborted = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let checking = false

  const changed = () => {
    clearTimeout(timer)
    if (standing.refusesAny() && !aborted.signal.aborted)
      timer = setTimeout(probeWhenDue, standing.remainingMs() + timerSlackMs).unref()
    onChange()
  }
  /** Tells what `work` has noted. */
  const noting =
    <Told extends unknown[]>(work: (...told: Told) => void) =>
    (...told: Told) => {
      work(...told)
      changed()
    }
  const runProbe = async (due: Due) => {
    checking = true
    onChange()
    const end = await ask(probe, aborted.signal)
    checking = false
    if (end.error && aborted.signal.aborted) return
    noteProbe(standing, due, end)
    changed()
  }
  const probeWhenDue = () => {
    const due = standing.startProbe()
    if (due.dead || due.slow) void runProbe(due)
  }

  return {
    admit(call) {
      if (!standing.refuses(call)) return
      probeWhenDue()
      throw new EmbeddingUnavailable(standing.error() ?? 'the embedding provider does not answer')
    },
    // Of nearly every call there is nothing to tell.
    answered: () => standing.answered() && changed(),
    answeredInTime: standing.answeredInTime,
    failed: noting((error: unknown) => standing.failed(error)),
    tooSlow: noting(standing.tooSlow),
    check() {
      if (standing.refusesAny()) probeWhenDue()
      else if (!standing.isProven() && !checking) void runProbe({ dead: true, slow: false })
    },
    warmedUp: noting(standing.forgetSpeed),
    error: standing.error,
    failing: standing.failing,
    checkedAt: standing.checkedAt,
    checking: () => checking && !standing.isProven(),
    close() {
      clearTimeout(timer)
      aborted.abort()
    },
  }
}

/** How a question to the provider ended. */
interface ProbeEnd {
  tookMs: number
  error?: ProviderError
}

async function ask(probe: HealthOptions['probe'], signal: AbortSignal): Promise<ProbeEnd> {
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

function noteProbe(standing: Standing, due: Due, { tookMs, error }: ProbeEnd): void {
  if (error) {
    if (due.slow) standing.stayedSlow()
    standing.failed(error, { atOnce: true })
    return
  }
  if (due.slow) standing.took(tookMs)
  standing.answered()
}

/** Which breakers a question to the provider decides about. */
interface Due {
  dead: boolean
  slow: boolean
}

/** What is known of a provider: what it answered, what it failed at, and which calls that speaks against. */
interface Standing {
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
function createStanding(now: () => number): Standing {
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
