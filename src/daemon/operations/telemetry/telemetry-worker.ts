import { telemetryEnabled } from '../../ground/recording/record-event.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { keptByDaemon } from '../../platform/daemon/kept-by-daemon.js'
import { createPeriodicWork } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { Delivery } from './delivery/delivery.js'
import { catchUp } from './stats/catch-up.js'

const deliveries = keptByDaemon<Delivery>()

/** What is sent of events, and how that goes. */
export const deliveryOf = deliveries.of

/**
 * Says once, before the first event, where events stay; sends them where an address is set; counts what events tell, so that none is gone before it was
 * counted; and has what waits written down at the end.
 */
export function createTelemetryWorker(daemon: Daemon): Worker {
  const { telemetry, log } = daemon
  const delivery = deliveries.keep(daemon, new Delivery(daemon))
  const counting = createPeriodicWork({
    run: signal => catchUp(daemon, signal),
    onError: error => log.warn({ err: error }, 'events not counted'),
  })
  return {
    start: () => {
      void sayWhereEventsStay(daemon)
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

async function sayWhereEventsStay(daemon: Daemon): Promise<void> {
  const { store, log, configuration } = daemon
  if (!telemetryEnabled(daemon) || configuration().settings.telemetry.delivery.url !== undefined) return
  try {
    if ((await store.tables.telemetry.last()) === 0)
      log.info('events of use stay on this machine; memory telemetry off ends recording them')
  } catch (error) {
    log.warn({ err: error }, 'events can not be read')
  }
}
