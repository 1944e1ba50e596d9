import { setTimeout as delay } from 'node:timers/promises'

const attempts = 5
const firstWaitMs = 500

export interface RetryOptions {
  signal: AbortSignal
  wait: Wait
  /** Returns 0 to 1; spreads the retries of many daemons. */
  random?: () => number
}

/**
 * Kinds of failed requests.
 * - `unreachable`: no readable reply or a server error; retrying may help.
 * - `too_large`: the reply exceeds the limit.
 * - `limited`: rate-limited for longer than a sync waits.
 * - `unauthorized`: the token is not valid.
 * - `forbidden`, `missing`, `refused`: the reply to this one request.
 */
export type ApiFaultKind =
  | 'unreachable'
  | 'too_large'
  | 'limited'
  | 'unauthorized'
  | 'forbidden'
  | 'missing'
  | 'refused'

export interface ApiFaultDetails {
  /** HTTP status. */
  status?: number
  /** The server's own error number or word. */
  code?: number | string
  retryAfterMs?: number
  cause?: unknown
}

/**
 * Retries while that may help: no reply, half a reply or a server error. Waits half a second, doubling each
 * time, with 25 % jitter. Fails with the fifth fault, after less than ten seconds.
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  { signal, wait, random = Math.random }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      if (!isFault(error, 'unreachable') || attempt === attempts) throw error
      await wait(waitAfter(attempt, random), signal)
    }
}

/** Milliseconds after the given attempt: half a second, doubling each time, with 25 % jitter. */
export function waitAfter(attempt: number, random: () => number): number {
  return firstWaitMs * 2 ** (attempt - 1) * (1 + random() / 4)
}

/** Waits; rejects with the signal's reason when aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>

/** Does not keep the process alive. */
export const systemWait: Wait = async (ms, signal) => {
  try {
    await delay(ms, undefined, { signal, ref: false })
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}

/** A failed API request; its message contains neither headers nor tokens. */
export class ApiFault extends Error {
  readonly kind: ApiFaultKind
  readonly status: number | undefined
  readonly code: number | string | undefined
  readonly retryAfterMs: number | undefined

  constructor(kind: ApiFaultKind, message: string, details: ApiFaultDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'ApiFault'
    this.kind = kind
    this.status = details.status
    this.code = details.code
    this.retryAfterMs = details.retryAfterMs
  }
}

export function isFault(error: unknown, ...kinds: ApiFaultKind[]): error is ApiFault {
  return error instanceof ApiFault && kinds.includes(error.kind)
}
