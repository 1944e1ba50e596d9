import type { Timers } from '../../../lib/time/timers.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { createPeriodicWork, hasDuty, isDue, noteDone } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { type SweepReport, sweep } from './sweep.js'

const sweepEveryMs = 6 * 3_600_000

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId' | 'log' | 'configuration' | 'paths'>

/** Permanently deletes rows past their retention. */
export const retention: Domain = { workers: [createRetentionWorker] }

/**
 * Sweeps every six hours (rules.md 1.4). The time of the last sweep is in the database, since a daemon seldom
 * runs that long. Nothing is swept while mutations are frozen.
 */
export function createRetentionWorker(deps: Deps, timers?: Timers): Worker {
  return createPeriodicWork({
    run: () => sweepWhenDue(deps),
    onError: error => deps.log.warn({ err: error }, 'retention sweep failed'),
    timers,
  })
}

async function sweepWhenDue(deps: Deps): Promise<void> {
  if (isFrozen(deps) || !(await isDue(deps, 'retention', sweepEveryMs))) return
  if (!(await hasDuty(deps, 'retention'))) return
  const report = await sweep(deps)
  await noteDone(deps, 'retention')
  if (hasWork(report)) deps.log.info(report, 'retention sweep finished')
}

function hasWork(report: SweepReport): boolean {
  return Object.values(report).some(count => count > 0)
}
