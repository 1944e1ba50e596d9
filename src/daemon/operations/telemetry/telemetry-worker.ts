import { telemetryEnabled } from '../../ground/recording/record-event.js'
import { createDaemonState, type Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork, hasDuty } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { Delivery } from './delivery.js'
import { catchUp } from './stats/catch-up.js'

const deliveries = createDaemonState<Delivery>()

export const deliveryOf = deliveries.of

/**
 * Logs once, before the first event, where events are stored. Sends them when an address is configured,
 * counts them before retention deletes them, and writes buffered events when the daemon stops.
 */
export function createTelemetryWorker(daemon: Daemon): Worker {
  const { telemetry, log } = daemon
  const delivery = deliveries.keep(daemon, new Delivery(daemon))
  const counting = createPeriodicWork({
    run: async signal => {
      if (await hasDuty(daemon, 'telemetry')) await catchUp(daemon, signal)
    },
    onError: error => log.warn({ err: error }, 'telemetry events not counted'),
  })
  return {
    start: () => {
      void announceLocalEvents(daemon)
      counting.start()
      delivery.look()
    },
    hear: event => {
      if (event === 'configured') delivery.look()
    },
    close: async () => {
      await delivery.close()
      await counting.close()
      await telemetry.close()
    },
  }
}

async function announceLocalEvents(daemon: Daemon): Promise<void> {
  const { store, log, configuration } = daemon
  if (!telemetryEnabled(daemon) || configuration().settings.telemetry.delivery.url !== undefined) return
  try {
    if ((await store.tables.telemetry.last()) === 0)
      log.info('usage events stay on this machine; memory telemetry off stops recording them')
  } catch (error) {
    log.warn({ err: error }, 'telemetry events can not be read')
  }
}
