import { setTimeout as delay } from 'node:timers/promises'
import { isFault } from './api-fault.js'

const attempts = 5
const firstWaitMs = 500

export interface RetryOptions {
  signal: AbortSignal
  wait: Wait
  /** Returns 0 to 1; spreads the retries of many daemons. */
  random?: () => number
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
