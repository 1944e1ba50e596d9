import { dayMs } from '../../../lib/time/time.js'
import type { Timers } from '../../../lib/time/timers.js'
import { checkIntegrity } from '../../../store/sqlite/upkeep/integrity.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork, isDue, noteDone } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'

type Deps = Pick<Daemon, 'store' | 'paths' | 'clock' | 'log' | 'integrity' | 'afterCrash'>

/**
 * Checks the database's pages once a day, and at once after a crash or a fault. A check without faults is
 * noted in the database; a damaged database is checked again at the next start.
 */
export function createIntegrityWatch(deps: Deps, timers?: Timers): Worker {
  const { store, paths, log, integrity, afterCrash } = deps
  let due = afterCrash
  return createPeriodicWork({
    run: async signal => {
      if ((!due && !(await isDue(deps, 'integrity', dayMs))) || !store.file?.othersCanOpen()) return
      // An empty workspace has nothing to lose, so its start is not slowed down.
      if ((await store.tables.memories.countAlive()) === 0) return
      try {
        const problems = await checkIntegrity(paths.database, signal)
        due = false
        integrity.found(problems)
        if (problems.length === 0) await noteDone(deps, 'integrity')
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
    onError: error => log.warn({ err: error }, 'database check failed'),
    timers,
  })
}
