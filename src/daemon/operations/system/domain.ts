/**
 * The operations area keeps a workspace healthy and reports its state.
 *
 * `system/` (here) has status, OpenAPI and the stop; `backup/`, `repair/`, `retention/` and `diagnostics/`
 * look after the data; `transfer/` exports and imports memories; `git/`, `updates/` and `settings/` change
 * the installation; `logs/`, `metrics/`, `telemetry/` and `timeline/` report. Requests come from commands
 * and the web page; workers run on timers. It reads the tables of every area. Apart from imports and repairs
 * it changes no memory, and it never influences the results of a recall.
 */
import * as contract from '../../../contract/operations/system.js'
import { dayMs } from '../../../lib/time/time.js'
import type { Timers } from '../../../lib/time/timers.js'
import { checkIntegrity } from '../../../store/sqlite/upkeep/integrity.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { createPeriodicWork, isDue, noteDone } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'

/** Status, OpenAPI and shutdown of the daemon process. */
export const system: Domain = {
  routes: [
    route(contract.status, async (daemon, { caller }) => {
      const { status } = await import('./status.js')
      return status(daemon, caller)
    }),
    route(contract.openapi, async ({ version }) => {
      const { openapiDocument } = await import('../../platform/http/openapi.js')
      return openapiDocument(version)
    }),
    route(contract.docs, async ({ version }) => {
      const { docsPage } = await import('../../platform/http/docs-page.js')
      return docsPage(version)
    }),
    route(contract.pullModel, async ({ embedder }) => {
      embedder().pull()
      return { state: embedder().status().state }
    }),
    route(contract.shutdown, async ({ stop }) => {
      // The reply must be sent before the daemon stops.
      setImmediate(stop, 'asked to stop')
      return { status: 'stopping' as const }
    }),
  ],
  workers: [createIntegrityWatch],
}

type Deps = Pick<Daemon, 'store' | 'paths' | 'clock' | 'log' | 'integrity' | 'afterCrash'>

/**
 * Checks the database's pages once a day, and at once after a crash or a fault. A check without faults is
 * noted in the database; a damaged database is checked again at the next start.
 */
function createIntegrityWatch(deps: Deps, timers?: Timers): Worker {
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
