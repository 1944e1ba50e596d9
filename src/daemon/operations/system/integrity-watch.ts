import { dayMs } from '../../../lib/time.js'
import type { Timers } from '../../../lib/timers.js'
import { isDamage } from '../../../store/damage.js'
import { checkIntegrity } from '../../../store/integrity.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork, type PeriodicWork } from '../../platform/jobs/periodic-work.js'

/** Whether the database holds together, as far as is known. */
export interface Integrity {
  /** What is wrong, a line each; none while nothing is known to be. */
  problems(): readonly string[]
  /** Hears of an error of the store; damage that it tells of counts at once. */
  note(error: unknown): void
}

type Deps = Pick<Daemon, 'store' | 'paths' | 'clock' | 'log'>

export interface IntegrityOptions {
  /** The process before this one did not end by itself. */
  afterCrash: boolean
  timers?: Timers
}

export function createIntegrity(
  log: Daemon['log'],
): Integrity & { found(problems: readonly string[]): void } {
  const state = { problems: [] as readonly string[] }
  const found = (problems: readonly string[]): void => {
    if (problems.length > 0) log.error({ problems }, 'the database is damaged')
    state.problems = problems
  }
  return {
    problems: () => state.problems,
    note: error => {
      if (isDamage(error) && state.problems.length === 0) found([(error as Error).message])
    },
    found,
  }
}

/**
 * Reads the database through once a day by the clock, and at once after a crash or a fault. A day without a fault is
 * noted in the database; one that is damaged is read again at the next start.
 */
export function createIntegrityWatch(
  { store, paths, clock, log }: Deps,
  integrity: ReturnType<typeof createIntegrity>,
  { afterCrash, timers }: IntegrityOptions,
): PeriodicWork {
  const state = { due: afterCrash, ending: new AbortController() }
  const work = createPeriodicWork({
    run: async () => {
      const last = await store.tables.meta.lastIntegrityCheck()
      const age = last === undefined ? dayMs : Math.abs(clock().getTime() - Date.parse(last))
      // While this connection holds the file alone nobody else can read it.
      if ((!state.due && age < dayMs) || store.isAlone()) return
      // A new workspace has nothing to lose, and its start has better things to do.
      if ((await store.tables.memories.countAlive()) === 0) return
      const problems = await checkIntegrity(paths.database, state.ending.signal)
      state.due = false
      integrity.found(problems)
      if (problems.length === 0) await store.tables.meta.noteIntegrityCheck(clock().toISOString())
    },
    onError: error => {
      if (!state.ending.signal.aborted) log.warn({ err: error }, 'the database was not checked')
    },
    timers,
  })
  return {
    start: work.start,
    close: () => {
      state.ending.abort()
      return work.close()
    },
  }
}
