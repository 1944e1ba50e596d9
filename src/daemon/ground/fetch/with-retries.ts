import { setTimeout as delay } from 'node:timers/promises'
import { isFault } from './api-fault.js'

const attempts = 5
const firstWaitMs = 500

export interface RetryOptions {
  signal: AbortSignal
  wait: Wait
  /** 0 to 1: spreads the waits of many daemons. */
  random?: () => number
}

/**
 * Asks again where asking again may help: no answer, half of one, a fault of the server's own. Waits half a second, then
 * twice as long each time, with a quarter of it by chance, and gives up with the fifth fault: less than ten seconds.
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
      await wait(firstWaitMs * 2 ** (attempt - 1) * (1 + random() / 4), signal)
    }
}

/** Waits so long; rejects with the signal's reason once that is aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>

/** Never keeps the process alive. */
export const systemWait: Wait = async (ms, signal) => {
  try {
    await delay(ms, undefined, { signal, ref: false })
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}
