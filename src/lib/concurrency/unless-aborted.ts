import { deferred } from './deferred.js'

/**
 * What `work` gives, or `givenUp()` thrown as soon as the signal is aborted; the work itself goes on. Work that hears the
 * signal too may have rejected before, with an error of its own: that one is not told.
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
