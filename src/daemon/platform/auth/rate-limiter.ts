import type { RateBucket } from '../../../contract/ground/endpoint.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { AuthSettings } from '../../../contract/settings.js'

export interface RateLimiter {
  /**
   * Counts one request.
   * @returns a function that takes it back
   * @throws AppError `rate_limited` with `retry-after` when the window is full
   */
  take(bucket: RateBucket, actor: string): () => void
  /** Number of windows in memory. */
  size(): number
}

/** Above this number of actors per bucket, the least recently used windows are dropped. */
const maxActors = 20_000

/**
 * A sliding window per actor and bucket: the times of accepted requests, at most as many as the limit
 * (security.md 5.5). Rejected requests don't count.
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
      // A map keeps insertion order, so re-adding moves the window to the end and the first one is the
      // oldest.
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

/** Drops expired windows, oldest use first, and more while there are too many. */
function dropOld(windows: Map<string, number[]>, ended: number): void {
  for (const [actor, times] of windows) {
    if (windows.size <= maxActors && (times.at(-1) ?? 0) > ended) return
    windows.delete(actor)
  }
}

function limited(bucket: RateBucket, max: number, windowMs: number, waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const message = `more than ${max} ${bucket} requests in ${windowMs / 1000} s; try again in ${seconds} s`
  return new AppError('rate_limited', message, undefined, { headers: { 'retry-after': String(seconds) } })
}
