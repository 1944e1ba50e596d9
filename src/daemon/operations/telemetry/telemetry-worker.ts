import { telemetryEnabled } from '../../ground/telemetry/record-event.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { catchUp } from './stats/catch-up.js'

/**
 * Says once, before the first event, where events stay; counts what events tell, so that none is gone before it was
 * counted; and has what waits written down at the end.
 */
export function createTelemetryWorker(daemon: Daemon): Worker {
  const { telemetry, log } = daemon
  const counting = createPeriodicWork({
    run: signal => catchUp(daemon, signal),
    onError: error => log.warn({ err: error }, 'events not counted'),
  })
  return {
    start: () => {
      void sayWhereEventsStay(daemon)
      counting.start()
    },
    close: async () => {
      await counting.close()
      await telemetry.close()
    },
  }
}

async function sayWhereEventsStay(daemon: Daemon): Promise<void> {
  if (!telemetryEnabled(daemon)) return
  const { store, log } = daemon
  try {
    if ((await store.tables.telemetry.last()) === 0)
      log.info('events of use stay on this machine; memory telemetry off ends recording them')
  } catch (error) {
    log.warn({ err: error }, 'events can not be read')
  }
}
