import { isLoopback } from '../../../lib/is-loopback.js'
import type { Caller } from '../../ground/visibility/caller.js'

/** Whether a caller may name paths of this machine: it runs here, or is the daemon itself. */
export function isOnThisMachine({ peer }: Pick<Caller, 'peer'>): boolean {
  return peer === undefined || isLoopback(peer)
}
