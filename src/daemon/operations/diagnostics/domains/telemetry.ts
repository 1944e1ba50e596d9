import { eventFileFault } from '../../../../store/files/event-file.js'
import { telemetryEnabled } from '../../../ground/recording/record-event.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { telemetryHealth } from '../../telemetry/health.js'
import { finding } from '../findings/finding.js'

/**
 * Telemetry events that can't be written or sent. Nothing else depends on them, so only diagnostics report
 * it.
 */
export async function telemetryFindings(
  daemon: Pick<Daemon, 'store' | 'telemetry' | 'configuration' | 'environment' | 'clock' | 'paths'>,
) {
  if (!telemetryEnabled(daemon)) return []
  const fault = await eventFileFault(daemon.paths.telemetryEvents)
  const { status, consecutiveFailures, droppedEventCount } = await telemetryHealth(daemon)
  return [
    ...(fault === undefined && !daemon.telemetry.isFailing ? [] : [writeFinding(daemon, fault)]),
    ...(status === 'degraded' ? [deliveryFinding(consecutiveFailures, droppedEventCount)] : []),
  ]
}

function writeFinding({ paths }: Pick<Daemon, 'paths'>, fault: string | undefined) {
  return finding({
    id: 'telemetry-events',
    severity: 'warning',
    penalty: 0.05,
    evidence:
      fault === undefined
        ? 'the last usage events could not be written to the database'
        : `usage events can't be written to ${paths.telemetryEvents} (${fault}); the database has them`,
    fix: 'make it writable for the daemon, or run memory telemetry off',
  })
}

function deliveryFinding(failures: number, dropped: number) {
  const lost = dropped > 0 ? `, ${dropped} events were dropped` : ''
  return finding({
    id: 'telemetry-delivery',
    severity: 'warning',
    penalty: 0.05,
    evidence: `telemetry.delivery.url accepts no events: ${failures} attempts failed in a row${lost}`,
    fix: 'memory telemetry status; memory config set telemetry.delivery.url ADDRESS, or an empty one to send nothing',
  })
}
