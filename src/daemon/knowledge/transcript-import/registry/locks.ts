import {
  type OneAtATime,
  type OneAtATimeEach,
  oneAtATime,
  oneAtATimeEach,
} from '../../../../lib/concurrency/one-at-a-time.js'
import type { Store } from '../../../../store/store.js'
import { keptByDaemon } from '../../../platform/daemon/kept-by-daemon.js'

/** What imports of one daemon must not do at the same time. */
export interface Locks {
  /** Room on the disk is counted and set aside by one at a time. */
  admission: OneAtATime
  /** A file has one writer. */
  file: OneAtATimeEach
  /** Imports that are worked on, by their ids: aborting one stops it at its next read. */
  running: Map<string, AbortController>
}

const locks = keptByDaemon<Locks>()

/** The locks of the daemon that a store belongs to. */
export function locksOf(daemon: { store: Store }): Locks {
  return locks.ofOrMade(daemon, () => ({
    admission: oneAtATime(),
    file: oneAtATimeEach(),
    running: new Map(),
  }))
}
