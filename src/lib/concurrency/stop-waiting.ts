import { deferred } from './deferred.js'

/**
 * Returns the result of `work`, or throws `givenUp()` as soon as the signal is aborted; the work itself
 * continues. Once the signal is aborted, a rejection of the work is replaced by `givenUp()` too.
 */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  givenUp: (reason: unknown) => unknown = reason => reason,
): Promise<T> {
  if (!signal) return work
  const aborted = deferred<never>()
  const abort = (): void => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } catch (error) {
    throw signal.aborted ? givenUp(signal.reason) : error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** A pause of the process delays one timer, so after it a deadline in parts still lets work end. */
const maxParts = 10

/**
 * Returns the result of `work`, or throws `late()` after `timeoutMs`; the work itself continues. A pause in
 * which this process did not run counts as one tenth at most.
 */
export async function within<T>(work: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  const timeout = deferred<never>()
  // A timer takes at least 1 ms.
  const parts = Math.min(maxParts, Math.max(1, Math.floor(timeoutMs)))
  let passed = 0
  const timer = setInterval(() => {
    passed++
    if (passed === parts) timeout.reject(late())
  }, timeoutMs / parts)
  try {
    return await Promise.race([work, timeout.promise])
  } finally {
    clearInterval(timer)
  }
}
