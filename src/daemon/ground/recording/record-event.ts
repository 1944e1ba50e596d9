import { createHash } from 'node:crypto'
import { appendEvents, rotateEvents } from '../../../store/files/event-file.js'
import type { NewEvent } from '../../../store/tables/operations/telemetry.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Ground } from '../ground.js'
import type { RecordedEvent, TelemetryEvent } from '../telemetry/event.js'

/** Size from which the file of events is put aside: some 20,000 events. */
export const maxEventFileBytes = 5 * 1024 * 1024

/** Anonymous events are recorded unless the settings or the environment of the process opt out (rules.md 6). */
export function telemetryEnabled({
  configuration,
  environment,
}: Pick<Ground, 'configuration' | 'environment'>): boolean {
  return (
    configuration().settings.memory.pipelineV2.telemetryEnabled &&
    environment.SERVICE_TELEMETRY_OPTOUT !== '1'
  )
}

/**
 * Records an event in the transaction of the change that it counts. It stays on this machine.
 * @returns what `writeEvent` takes once that is committed; undefined when telemetry is off.
 */
export async function recordEvent(
  deps: Pick<Ground, 'configuration' | 'environment' | 'clock'>,
  tables: Pick<Tables, 'telemetry'>,
  event: TelemetryEvent,
): Promise<NewEvent | undefined> {
  if (!telemetryEnabled(deps)) return undefined
  const row = eventRow({ ...event, timestamp: deps.clock().toISOString() })
  await tables.telemetry.add(row)
  return row
}

/** An event as the database keeps it. */
export function eventRow({ event, properties, timestamp }: RecordedEvent): NewEvent {
  return { event, at: timestamp, properties: JSON.stringify(properties) }
}

/** Adds a recorded event to the file of events (rules.md 6). A fault is logged: the database has it. */
export async function writeEvent(
  deps: Pick<Ground, 'paths' | 'log'>,
  event: NewEvent | undefined,
): Promise<void> {
  await writeEvents(deps, event ? [event] : [])
}

/** As `writeEvent`, of several; a file that has become too large is put aside first. */
export async function writeEvents(
  { paths, log }: Pick<Ground, 'paths' | 'log'>,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return
  try {
    await rotateEvents(paths.telemetryEvents, maxEventFileBytes)
    await appendEvents(paths.telemetryEvents, events)
  } catch (error) {
    log.warn({ err: error }, 'telemetry events not written to their file')
  }
}

/**
 * Records events that belong to no change of their own, with what else is to be written down of them; a fault costs them
 * alone.
 * @param also in the same transaction, whether telemetry is on or off
 */
export async function noteEvents(
  deps: Pick<Ground, 'store' | 'configuration' | 'environment' | 'clock' | 'paths' | 'log'>,
  events: readonly TelemetryEvent[],
  also?: (tables: Tables) => Promise<void>,
): Promise<void> {
  try {
    const recorded: NewEvent[] = []
    await deps.store.write({ until: 'committed' }, async tables => {
      await also?.(tables)
      for (const event of events) {
        const one = await recordEvent(deps, tables, event)
        if (one) recorded.push(one)
      }
    })
    await writeEvents(deps, recorded)
  } catch (error) {
    deps.log.warn({ err: error }, 'telemetry not recorded')
  }
}

/** A hash that stands for a key in events: equal for equal keys. */
export function anonymousKey(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16)
}
