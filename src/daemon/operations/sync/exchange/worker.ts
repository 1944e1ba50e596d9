import { systemTimers } from '../../../../lib/time/timers.js'
import { isFrozen } from '../../../ground/settings/frozen.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { Worker } from '../../../platform/jobs/worker.js'
import { openSync, readConfig, type SyncRuntime } from './config.js'

/** How soon a change is sent. */
const changesEveryMs = 5000
/** How often the store is looked at without a change. */
const lookEveryMs = 60_000

/**
 * Exchanges changes every minute, and soon after a save. It does nothing while sync is off or writes are
 * frozen.
 */
export function createSyncWorker(daemon: Daemon): Worker {
  const runtime = openSync(daemon)
  const state = { end: () => {}, working: undefined as Promise<void> | undefined, at: 0, closed: false }
  const look = (): void => {
    if (state.closed || !runtime.isActive || isFrozen(daemon)) return
    state.working ??= lookOnce(daemon, runtime, state)
      .catch((error: unknown) => daemon.log.error({ err: error }, 'sync failed'))
      .finally(() => {
        state.working = undefined
      })
  }
  return {
    start: () => {
      state.working = readConfig(daemon.store.tables)
        .then(config => {
          runtime.isActive = config !== undefined && !config.paused
        })
        .catch((error: unknown) => daemon.log.error({ err: error }, 'sync failed'))
        .finally(() => {
          state.working = undefined
          look()
        })
      state.end = systemTimers.every(changesEveryMs, look)
    },
    close: async () => {
      state.closed = true
      state.end()
      await state.working
      await runtime.inLine(async () => undefined)
    },
  }
}

async function lookOnce(daemon: Daemon, runtime: SyncRuntime, state: { at: number }): Promise<void> {
  const now = Date.now()
  const isDue = now - state.at >= lookEveryMs
  if (!isDue && (await daemon.store.tables.meta.lastChange()) === runtime.collected) return
  state.at = now
  const { runExchange } = await import('./runtime.js')
  await runExchange(daemon)
}
