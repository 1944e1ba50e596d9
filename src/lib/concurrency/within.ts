import { deferred } from './deferred.js'

/** Returns the result of `work`, or throws `late()` after `timeoutMs`; the work itself continues. */
export async function within<T>(work: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  const timeout = deferred<never>()
  const timer = setTimeout(() => timeout.reject(late()), timeoutMs)
  try {
    return await Promise.race([work, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
