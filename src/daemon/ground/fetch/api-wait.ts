import { setTimeout as delay } from 'node:timers/promises'

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
