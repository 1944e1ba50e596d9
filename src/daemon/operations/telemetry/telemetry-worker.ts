import { telemetryEnabled } from '../../ground/telemetry/record-event.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Worker } from '../../platform/jobs/worker.js'

/** Says once, before the first event, where events stay; and has what waits written down at the end. */
export function createTelemetryWorker(daemon: Daemon): Worker {
  const { store, telemetry, log } = daemon
  return {
    start: () => {
      if (!telemetryEnabled(daemon)) return
      store.tables.telemetry
        .newest({}, 1)
        .then(found => {
          if (found.length === 0)
            log.info('events of use stay on this machine; memory telemetry off ends recording them')
        })
        .catch(error => log.warn({ err: error }, 'events can not be read'))
    },
    close: () => telemetry.close(),
  }
}
