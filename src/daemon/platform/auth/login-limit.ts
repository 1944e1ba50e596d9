import { isLoopback } from '../../../lib/network/is-loopback.js'
import { networkOf } from './network-of.js'
import type { RateLimiter } from './rate-limiter.js'

/** Limits wrong passwords for the admin account, the only one there is. */
export interface LoginLimit {
  /**
   * Counts an attempt before its password is looked at: many may be on their way at once.
   * @param peer address of the TCP peer
   * @returns what to call when the password was right.
   * @throws AppError `rate_limited`
   */
  begin(peer: string | undefined): () => void
}

/** More networks than one person logs in from; the one that was used longest ago is forgotten. */
const maxKnown = 1000

/**
 * An address has its own limit (security.md 5.5); whoever guesses from many of them meets this one. It counts failures
 * by any name, so that it tells nothing of the right one, and neither those of this machine nor those of a network that
 * somebody logged in from before: whoever keeps its window full keeps out other strangers, and not the owner.
 */
export function createLoginLimit(limiter: Pick<RateLimiter, 'take'>, isEnforced: () => boolean): LoginLimit {
  const known = new Set<string>()
  return {
    begin: (peer = '') => {
      const network = networkOf(peer)
      const counts = isEnforced() && !isLoopback(peer) && !known.has(network)
      const giveBack = counts ? limiter.take('login', 'strangers') : undefined
      return () => {
        giveBack?.()
        // Deleted and added again: a set keeps the order of insertion, so the first one is the one not used for
        // longest.
        known.delete(network)
        known.add(network)
        const [oldest = ''] = known
        if (known.size > maxKnown) known.delete(oldest)
      }
    },
  }
}
