import type { Reply } from '../../../contract/api.js'
import { flushIntervalMs } from '../../ground/events/event-recorder.js'
import { telemetryEnabled } from '../../ground/telemetry/record-event.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** `GET /api/telemetry/health`: counts and ages alone. Nothing is sent, so that nothing waits to be. */
export async function telemetryHealth(
  daemon: Pick<Daemon, 'store' | 'telemetry' | 'configuration' | 'environment' | 'clock'>,
): Promise<Reply<'GET /api/telemetry/health'>> {
  const { store, telemetry, clock } = daemon
  const [last] = await store.tables.telemetry.newest({}, 1)
  // A clock that was put back makes no age below nothing.
  const age = last ? Math.max(0, Math.round((clock().getTime() - Date.parse(last.at)) / 1000)) : null
  return {
    enabled: telemetryEnabled(daemon),
    status: 'local-only',
    deliveryConfigured: false,
    bufferedEventCount: telemetry.waiting,
    queuedUnsentEventCount: 0,
    oldestUnsentEventAgeSec: null,
    lastDaemonEventAgeSec: age,
    lastSuccessfulDeliveryAgeSec: null,
    recentDeliverySuccessCount: 0,
    recentDeliveryFailureCount: 0,
    consecutiveFailures: 0,
    backoffActive: false,
    droppedEventCount: telemetry.dropped,
    flushIntervalMs,
  }
}
