import {
  type OneAtATime,
  type OneAtATimeEach,
  oneAtATime,
  oneAtATimeEach,
} from '../../../../lib/concurrency/one-at-a-time.js'
import type { Store } from '../../../../store/store.js'
import { createDaemonState } from '../../../platform/daemon/daemon-state.js'

/** Locks of the imports of one daemon. */
export interface ImportLocks {
  /** Serialises the reservation of disk space. */
  admission: OneAtATime
  /** Each file has one writer. */
  file: OneAtATimeEach
  /** Running imports by id: aborting one stops it at its next read. */
  running: Map<string, AbortController>
}

const locks = createDaemonState<ImportLocks>()

export function locksOf(daemon: { store: Store }): ImportLocks {
  return locks.ofOrMade(daemon, () => ({
    admission: oneAtATime(),
    file: oneAtATimeEach(),
    running: new Map(),
  }))
}
