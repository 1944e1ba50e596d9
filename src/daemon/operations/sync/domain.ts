import * as contract from '../../../contract/operations/sync.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createPeriodicWork, hasNodeDuty } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { isOn, openSync, readConfig, type SyncRuntime } from './exchange/config.js'

/** How soon a change is sent. */
const changesEveryMs = 5000
/** How often the store is looked at without a change. */
const lookEveryMs = 60_000

/** The memories of several machines as one, through a store that sees only ciphertext (sync.md). */
export const sync: Domain = {
  routes: lateRoutes(
    [
      contract.syncStatus,
      contract.initSync,
      contract.joinSync,
      contract.approveSync,
      contract.runSync,
      contract.pauseSync,
      contract.revokeDevice,
      contract.recoverSync,
      contract.leaveSync,
      contract.listBox,
      contract.getBoxed,
      contract.putBoxed,
      contract.removeBoxed,
    ],
    () => import('./routes.js'),
  ),
  workers: [createSyncWorker],
}

/**
 * Exchanges changes every minute, and soon after a save. It does nothing while sync is off or writes are
 * frozen, or where SERVICE_SYNC_MANUAL leaves each exchange to `memory sync now`.
 */
function createSyncWorker(daemon: Daemon): Worker {
  const runtime = openSync(daemon)
  const last = { at: 0 }
  const isManual = daemon.environment.SERVICE_SYNC_MANUAL === '1'
  const { start, close } = createPeriodicWork({
    everyMs: changesEveryMs,
    run: () => lookOnce(daemon, runtime, last),
    onError: error => daemon.log.error({ err: error }, 'sync failed'),
  })
  return {
    start: isManual ? () => undefined : start,
    close: async () => {
      // A daemon without a place loads nothing of it to stop.
      if (runtime.place) {
        const { closePlace } = await import('./exchange/place.js')
        await closePlace(daemon)
      }
      await close()
      await runtime.inLine(async () => undefined)
    },
  }
}

async function lookOnce(daemon: Daemon, runtime: SyncRuntime, last: { at: number }): Promise<void> {
  const { tables } = daemon.store
  if (runtime.isActive === undefined) {
    const config = await readConfig(tables)
    runtime.isActive ??= isOn(config)
  }
  if (!runtime.isActive || isFrozen(daemon)) return
  const now = Date.now()
  if (now < runtime.notBefore) return
  const isDue = now - last.at >= lookEveryMs
  if (!isDue && (await tables.meta.lastChange()) === runtime.collected) return
  if (!(await hasNodeDuty(daemon, 'sync'))) return
  last.at = now
  const { runExchange } = await import('./exchange/runtime.js')
  await runExchange(daemon)
}
