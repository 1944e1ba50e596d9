import { createHash } from 'node:crypto'
import type { Tables } from '../../store/tables/tables.js'
import type { Daemon } from '../daemon.js'

export interface TelemetryEvent {
  event: 'session.end' | 'session.turn'
  /** Counts, durations and words of fixed lists; no text, no name, no key. */
  properties: Readonly<Record<string, string | number | null>>
}

/** Anonymous events are recorded unless the settings or the environment of the process opt out (spec 3, section 6). */
export function telemetryEnabled({
  configuration,
  environment,
}: Pick<Daemon, 'configuration' | 'environment'>): boolean {
  return (
    configuration().settings.memory.pipelineV2.telemetryEnabled &&
    environment.SERVICE_TELEMETRY_OPTOUT !== '1'
  )
}

/** Records an event in the transaction of what it tells of. Nothing leaves the machine. */
export async function recordEvent(
  deps: Pick<Daemon, 'configuration' | 'environment' | 'clock' | 'newId'>,
  tables: Pick<Tables, 'telemetry'>,
  { event, properties }: TelemetryEvent,
): Promise<void> {
  if (!telemetryEnabled(deps)) return
  const at = deps.clock().toISOString()
  await tables.telemetry.add({ id: deps.newId(), event, at, properties: JSON.stringify(properties) })
}

/** A key as events name it: equal for equal keys, and of no use for anything else. */
export function anonymousKey(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16)
}
