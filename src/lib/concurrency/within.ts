import { deferred } from './deferred.js'

/** What `work` gives, or `late()` thrown when that takes more than `timeoutMs`; the work itself goes on. */
export async function within<T>(work: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  const timeout = deferred<never>()
  const timer = setTimeout(() => timeout.reject(late()), timeoutMs)
  try {
    return await Promise.race([work, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
