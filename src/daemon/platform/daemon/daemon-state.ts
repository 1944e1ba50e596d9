import { AppError } from '../../../contract/ground/errors.js'
import type { Daemon } from './daemon.js'

/** A process may run several daemons; each has one store. */
type OfDaemon = Pick<Daemon, 'store'>

/** In-memory state of a domain, one per daemon, for the daemon's lifetime. */
export interface DaemonState<T> {
  /** @returns the given state */
  keep(daemon: OfDaemon, kept: T): T
  /** @throws AppError `starting` before it exists */
  of(daemon: OfDaemon): T
  /** Undefined before it exists. */
  ifKept(daemon: OfDaemon): T | undefined
  /** Creates it if it does not exist. */
  ofOrMade(daemon: OfDaemon, make: () => T): T
}

/** Creates a holder for a domain's state; the domain's worker fills it when a daemon starts. */
export function createDaemonState<T>(): DaemonState<T> {
  const all = new WeakMap<Daemon['store'], T>()
  const keep = ({ store }: OfDaemon, kept: T): T => {
    all.set(store, kept)
    return kept
  }
  return {
    keep,
    of: ({ store }) => {
      const kept = all.get(store)
      if (!kept) throw new AppError('starting', 'the daemon is still starting; try again shortly')
      return kept
    },
    ifKept: ({ store }) => all.get(store),
    ofOrMade: (daemon, make) => all.get(daemon.store) ?? keep(daemon, make()),
  }
}
