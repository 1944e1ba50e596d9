import type { Reply } from '../../../contract/api.js'
import { telemetryEnabled } from '../../ground/recording/record-event.js'
import { flushIntervalMs } from '../../ground/telemetry/event-recorder.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { ageSec } from '../diagnostics/findings/finding.js'
import type { DeliveryState } from './delivery.js'
import { deliveryOf } from './telemetry-worker.js'

/** Unsent events older than several attempts would take are late. */
const lateSec = 300

type Health = Reply<'GET /api/telemetry/health'>

/** `GET /api/telemetry/health`: only counts and ages. */
export async function telemetryHealth(
  daemon: Pick<Daemon, 'store' | 'telemetry' | 'configuration' | 'environment' | 'clock'>,
): Promise<Health> {
  const { store, telemetry, clock } = daemon
  const enabled = telemetryEnabled(daemon)
  const [last] = await store.tables.telemetry.newest({}, 1)
  const delivery = await deliveryOf(daemon).state()
  const now = clock()
  const oldestUnsentEventAgeSec = ageSec(now, delivery.oldestUnsentAt)
  const { intervalMs } = daemon.configuration().settings.telemetry.delivery
  return {
    enabled,
    status: statusOf({ ...delivery, enabled, intervalMs, oldestUnsentEventAgeSec }),
    deliveryConfigured: delivery.isConfigured,
    bufferedEventCount: telemetry.waiting,
    queuedUnsentEventCount: delivery.unsent,
    oldestUnsentEventAgeSec,
    lastDaemonEventAgeSec: ageSec(now, last?.at ?? null),
    lastSuccessfulDeliveryAgeSec: ageSec(now, delivery.deliveredAt),
    recentDeliverySuccessCount: delivery.successes,
    recentDeliveryFailureCount: delivery.failures,
    consecutiveFailures: delivery.consecutiveFailures,
    backoffActive: delivery.isBackingOff,
    droppedEventCount: telemetry.dropped + delivery.dropped,
    flushIntervalMs,
  }
}

interface DeliveryHealth extends Pick<DeliveryState, 'isConfigured' | 'consecutiveFailures'> {
  enabled: boolean
  intervalMs: number
  oldestUnsentEventAgeSec: number | null
}

function statusOf({
  enabled,
  isConfigured,
  consecutiveFailures,
  intervalMs,
  oldestUnsentEventAgeSec,
}: DeliveryHealth): Health['status'] {
  if (!isConfigured || !enabled) return 'local-only'
  const isLate = (oldestUnsentEventAgeSec ?? 0) > Math.max(lateSec, (3 * intervalMs) / 1000)
  return consecutiveFailures > 0 || isLate ? 'degraded' : 'healthy'
}
