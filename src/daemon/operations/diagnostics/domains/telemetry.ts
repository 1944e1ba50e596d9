import { eventFileFault } from '../../../../store/files/event-file.js'
import { telemetryEnabled } from '../../../ground/recording/record-event.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { telemetryHealth } from '../../telemetry/health.js'
import { finding } from '../findings/finding.js'

/** Events that can't be written or sent: nothing else suffers from it, so that it is said here alone. */
export async function telemetryFindings(
  daemon: Pick<Daemon, 'store' | 'telemetry' | 'configuration' | 'environment' | 'clock' | 'paths'>,
) {
  if (!telemetryEnabled(daemon)) return []
  const fault = await eventFileFault(daemon.paths.telemetryEvents)
  const { status, consecutiveFailures, droppedEventCount } = await telemetryHealth(daemon)
  return [
    ...(fault === undefined && !daemon.telemetry.isFailing ? [] : [unwritten(daemon, fault)]),
    ...(status === 'degraded' ? [unsent(consecutiveFailures, droppedEventCount)] : []),
  ]
}

function unwritten({ paths }: Pick<Daemon, 'paths'>, fault: string | undefined) {
  return finding({
    id: 'telemetry-events',
    severity: 'warning',
    penalty: 0.05,
    evidence:
      fault === undefined
        ? 'events of use could not be written into the database the last time'
        : `events of use can't be written to ${paths.telemetryEvents} (${fault}); the database has them`,
    fix: 'let the owner of the daemon write there, or memory telemetry off',
  })
}

function unsent(failures: number, dropped: number) {
  const lost = dropped > 0 ? `, ${dropped} were given up` : ''
  return finding({
    id: 'telemetry-delivery',
    severity: 'warning',
    penalty: 0.05,
    evidence: `the address of telemetry.delivery.url takes no events: ${failures} tries failed in a row${lost}`,
    fix: 'memory telemetry status; memory config set telemetry.delivery.url ADDRESS, or an empty one to send nothing',
  })
}
