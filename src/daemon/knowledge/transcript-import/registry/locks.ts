import {
  type OneAtATime,
  type OneAtATimeEach,
  oneAtATime,
  oneAtATimeEach,
} from '../../../../lib/concurrency/one-at-a-time.js'
import type { Store } from '../../../../store/sqlite/database.js'

/** What imports of one daemon must not do at the same time. */
export interface Locks {
  /** Room on the disk is counted and set aside by one at a time. */
  admission: OneAtATime
  /** A file has one writer. */
  file: OneAtATimeEach
  /** Imports that are worked on, by their ids: aborting one stops it at its next read. */
  running: Map<string, AbortController>
}

const byStore = new WeakMap<Store, Locks>()

/** The locks of the daemon that a store belongs to. */
export function locksOf({ store }: { store: Store }): Locks {
  const known = byStore.get(store)
  if (known) return known
  const locks: Locks = { admission: oneAtATime(), file: oneAtATimeEach(), running: new Map() }
  byStore.set(store, locks)
  return locks
}
