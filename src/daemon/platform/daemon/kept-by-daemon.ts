import { AppError } from '../../../contract/ground/errors.js'
import type { Daemon } from './daemon.js'

/** There may be several daemons in a process; each has one store. */
type OfDaemon = Pick<Daemon, 'store'>

/** What a domain keeps in memory, one for each daemon, as long as that lives. */
export interface KeptByDaemon<T> {
  /** @returns what it is given. */
  keep(daemon: OfDaemon, kept: T): T
  /** @throws AppError `starting` before there is one. */
  of(daemon: OfDaemon): T
  /** Undefined before there is one. */
  ifKept(daemon: OfDaemon): T | undefined
  /** Makes it where there is none yet. */
  ofOrMade(daemon: OfDaemon, make: () => T): T
}

/** A place for what a domain keeps; its worker puts it there when a daemon starts. */
export function keptByDaemon<T>(): KeptByDaemon<T> {
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
