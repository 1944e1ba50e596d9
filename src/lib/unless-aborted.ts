import { deferred } from './deferred.js'

/** What `work` gives, or `givenUp()` thrown as soon as the signal is aborted; the work itself goes on. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  givenUp: (reason: unknown) => unknown = reason => reason,
): Promise<T> {
  if (!signal) return work
  const aborted = deferred<never>()
  const abort = (): void => aborted.reject(givenUp(signal.reason))
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
