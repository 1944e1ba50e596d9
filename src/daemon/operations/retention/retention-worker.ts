import type { Timers } from '../../../lib/timers.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork, type PeriodicWork } from '../../platform/jobs/periodic-work.js'
import { type SweepReport, sweep } from './sweep.js'

const sweepEveryMs = 6 * 3_600_000

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'log' | 'configuration' | 'paths'>

/**
 * Sweeps every six hours by the clock (spec 1, 1.4). The time of the last sweep is in the database, since a daemon
 * seldom lives that long. Nothing is swept while mutations are frozen.
 */
export function createRetentionWorker(deps: Deps, timers?: Timers): PeriodicWork {
  return createPeriodicWork({
    run: () => sweepWhenDue(deps),
    onError: error => deps.log.warn({ err: error }, 'retention sweep failed'),
    timers,
  })
}

async function sweepWhenDue(deps: Deps): Promise<void> {
  const { store, clock, log, configuration } = deps
  if (configuration().settings.memory.pipelineV2.mutationsFrozen) return
  const last = await store.tables.meta.lastSweep()
  // A clock that was set back does not put the next sweep off for long.
  if (last && Math.abs(clock().getTime() - Date.parse(last)) < sweepEveryMs) return
  const report = await sweep(deps)
  await store.tables.meta.noteSweep(clock().toISOString())
  if (hasWork(report)) log.info(report, 'retention sweep')
}

function hasWork(report: SweepReport): boolean {
  return Object.values(report).some(count => count > 0)
}
