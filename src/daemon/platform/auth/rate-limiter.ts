import type { RateBucket } from '../../../contract/ground/endpoint.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { AuthSettings } from '../../../contract/settings.js'

export interface RateLimiter {
  /**
   * Counts one request.
   * @returns how to take it back.
   * @throws AppError `rate_limited` with `retry-after` when the window is full.
   */
  take(bucket: RateBucket, actor: string): () => void
  /** Windows that are being kept. */
  size(): number
}

/** Windows of more actors than these in one bucket push out those that were quiet longest. */
const maxActors = 20_000

/**
 * Sliding window per actor and bucket: the times of the requests that were let in, no more of them than the limit
 * allows (security.md 5.5). Refused requests do not count.
 */
export function createRateLimiter(limits: () => AuthSettings['rateLimits'], clock: () => Date): RateLimiter {
  const buckets = new Map<RateBucket, Map<string, number[]>>()
  return {
    take: (bucket, actor) => {
      const { windowMs, max } = limits()[bucket]
      const windows = buckets.get(bucket) ?? new Map<string, number[]>()
      buckets.set(bucket, windows)
      const now = clock().getTime()
      const times = (windows.get(actor) ?? []).filter(time => time > now - windowMs)
      const full = times.length >= max
      if (!full) times.push(now)
      // Deleted and set again: a map keeps the order of insertion, so the first window is the one not used for longest.
      windows.delete(actor)
      windows.set(actor, times)
      dropOld(windows, now - windowMs)
      if (full) throw limited(bucket, max, windowMs, (times[times.length - max] ?? now) + windowMs - now)
      return () => {
        const kept = windows.get(actor) ?? []
        const at = kept.lastIndexOf(now)
        if (at >= 0) kept.splice(at, 1)
      }
    },
    size: () => [...buckets.values()].reduce((sum, windows) => sum + windows.size, 0),
  }
}

/** Lets go of windows that are over, oldest use first, and of as many more as there are too many. */
function dropOld(windows: Map<string, number[]>, ended: number): void {
  for (const [actor, times] of windows) {
    if (windows.size <= maxActors && (times.at(-1) ?? 0) > ended) return
    windows.delete(actor)
  }
}

function limited(bucket: RateBucket, max: number, windowMs: number, waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const message = `more than ${max} requests of the kind ${bucket} in ${windowMs / 1000} s; try again in ${seconds} s`
  return new AppError('rate_limited', message, undefined, { headers: { 'retry-after': String(seconds) } })
}
