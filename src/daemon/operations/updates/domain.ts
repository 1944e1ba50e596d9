import * as contract from '../../../contract/operations/updates.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import { isNewer } from '../../../lib/workspace/version.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createPeriodicWork, isPast } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { ownInstallation } from './installation.js'
import { noteRecord, pendingVersion, readRecord, UpdateFault } from './update-state.js'

/** Checks for releases of this program and installs them (operations.md 2). */
export const updates: Domain = {
  routes: lateRoutes(
    [contract.checkUpdate, contract.getUpdateConfig, contract.setUpdateConfig, contract.runUpdate],
    () => import('./routes.js'),
  ),
  workers: [daemon => createUpdateWorker(daemon)],
  recover: async daemon => {
    const { method, executable } = ownInstallation(daemon)
    if (method !== 'binary') return
    const { sweepParts } = await import('./install-binary.js')
    await sweepParts(executable)
  },
}

/**
 * Checks for releases on a timer when the settings ask for it, and installs them when they say so
 * (operations.md 2.2). Otherwise no server is contacted.
 */
function createUpdateWorker(daemon: Daemon, timers: Timers = systemTimers): Worker {
  const periodic = createPeriodicWork({
    run: () => lookWhenDue(daemon),
    onError: error => daemon.log.warn({ err: error }, 'update check failed'),
    timers,
  })
  return { ...periodic, hear: event => void (event === 'configured' && periodic.wake()) }
}

async function lookWhenDue(daemon: Daemon): Promise<void> {
  const { autoCheck, autoInstall, checkInterval } = daemon.configuration().settings.update
  if (!autoCheck && !autoInstall) return
  const now = daemon.clock()
  if (!isPast(readRecord(daemon).lookedAt, checkInterval * 1000, now)) return
  noteRecord(daemon, { lookedAt: now.toISOString() })
  const { askNow } = await import('./check.js')
  const release = await askNow(daemon)
  if (release instanceof UpdateFault) {
    daemon.log.warn({ reason: release.message }, 'update check failed')
    if (autoInstall) noteRecord(daemon, { lastAutoUpdateError: release.message })
    return
  }
  if (!autoInstall || !(await isNewer(release.version, (await pendingVersion(daemon)) ?? daemon.version)))
    return
  const { installLatest } = await import('./install-latest.js')
  const { success, message } = await installLatest(daemon)
  noteRecord(daemon, {
    lastAutoUpdateAt: daemon.clock().toISOString(),
    lastAutoUpdateError: success ? null : message,
  })
}
