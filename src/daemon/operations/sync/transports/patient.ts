import { createGate } from '../../../../lib/concurrency/gate.js'
import { type Wait, waitAfter } from '../../../ground/fetch/api-faults.js'
import { type Transport, TransportFault } from './transport.js'

/** The traffic of one exchange with its place. */
export interface TransportCounts {
  sentBytes: number
  readBytes: number
  /** Requests that were repeated. */
  retries: number
  /** Why it waits before the next attempt; null while it does not. */
  waiting: string | null
}

export interface Patience {
  signal: AbortSignal
  wait: Wait
  counts: TransportCounts
  /** Returns 0 to 1; spreads the retries of many machines. */
  random?: () => number
}

/** Requests at the same time, unless the place takes more. */
const usuallyAtOnce = 4
const attempts = 6
/** A place that wants more patience is asked again by a later exchange. */
const longestWaitMs = 60_000

/**
 * Repeats what an unreachable place did not answer: after half a second, doubling each time, with 25 %
 * jitter, or when the place said so. All other faults are thrown at once. Counts bytes and retries.
 */
export function patient(
  transport: Transport,
  { signal, wait, counts, random = Math.random }: Patience,
): Transport {
  const gate = createGate(transport.atOnce ?? usuallyAtOnce)
  const again = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++)
      try {
        return await work()
      } catch (error) {
        const ms = patienceFor(error, attempt, random)
        if (ms === undefined) throw error
        counts.retries++
        counts.waiting = `${(error as Error).message}; tries again in ${Math.ceil(ms / 1000)} s`
        await wait(ms, signal)
        counts.waiting = null
      }
  }
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    const leave = await gate.enter(1)
    try {
      return await again(work)
    } finally {
      leave()
    }
  }
  return {
    place: transport.place,
    atOnce: transport.atOnce ?? usuallyAtOnce,
    oddities: () => transport.oddities?.() ?? [],
    list: () => inTurn(() => transport.list()),
    get: async name => {
      const file = await inTurn(() => transport.get(name))
      counts.readBytes += file?.length ?? 0
      return file
    },
    put: async (name, bytes) => {
      await inTurn(() => transport.put(name, bytes))
      counts.sentBytes += bytes.length
    },
    remove: name => inTurn(() => transport.remove(name)),
    close: () => transport.close(),
  }
}

/** @returns undefined when the same request would not succeed soon */
function patienceFor(error: unknown, attempt: number, random: () => number): number | undefined {
  if (!(error instanceof TransportFault) || error.kind !== 'unreachable' || attempt === attempts)
    return undefined
  const ms = Math.max(error.retryAfterMs ?? 0, waitAfter(attempt, random))
  return ms > longestWaitMs ? undefined : ms
}
