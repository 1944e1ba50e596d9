import { createHash } from 'node:crypto'
import { dayMs } from '../../../lib/time/time.js'
import { appendEvents, rotateEvents } from '../../../store/files/event-file.js'
import type { NewEvent } from '../../../store/tables/operations/telemetry.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Ground } from '../ground.js'
import { EventRecorder, type RecordedEvent, type TelemetryEvent } from '../telemetry/event-recorder.js'

/** The event file is rotated at this size: about 20,000 events. */
export const maxEventFileBytes = 5 * 1024 * 1024

/** Retention of events by age and number. */
export const telemetryDays = 90
export const maxEvents = 100_000
/** Retention of hourly counts; daily counts are kept as long as events. */
export const hoursCountedDays = 8
/** Old events are also deleted after this many writes, so that bursts cannot outrun the sweeps. */
const writtenBetween = 500

type Deps = Pick<Ground, 'store' | 'configuration' | 'environment' | 'clock' | 'paths' | 'log'>

/** Creates a recorder that writes to the database and the event file; a file error loses only its lines. */
export function createEventRecorder(deps: Deps): EventRecorder {
  const { store, clock, log, configuration } = deps
  let lastSince = 0
  // Reading the real environment costs as much as the rest of an event, and it never changes.
  const { SERVICE_TELEMETRY_OPTOUT } = deps.environment
  const asked = { configuration, environment: { SERVICE_TELEMETRY_OPTOUT } }
  return new EventRecorder({
    isEnabled: () => telemetryEnabled(asked),
    clock,
    log,
    write: async events => {
      const before = new Date(clock().getTime() - telemetryDays * dayMs).toISOString()
      const since = lastSince + events.length
      const isDue = since >= writtenBetween
      const rows = events.map(eventRow)
      await store.write({ until: 'committed' }, async ({ telemetry }) => {
        await telemetry.addAll(rows)
        if (!isDue) return
        await telemetry.purge(before, 2 * since)
        await telemetry.keepNewest(maxEvents, 2 * since)
      })
      lastSince = isDue ? 0 : since
      await writeEvents(deps, rows)
    },
  })
}

/** True if anonymous events are recorded: neither settings nor environment opt out (rules.md 6). */
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
 * Records an event in the transaction of the change it counts. It stays on this machine.
 * @returns the argument for `writeEvent` after the commit; undefined when telemetry is off.
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

/** The database row of an event. */
function eventRow({ event, properties, timestamp }: RecordedEvent): NewEvent {
  return { event, at: timestamp, properties: JSON.stringify(properties) }
}

/**
 * Appends a recorded event to the event file (rules.md 6). Errors are only logged: the database has the
 * event.
 */
export async function writeEvent(
  deps: Pick<Ground, 'paths' | 'log'>,
  event: NewEvent | undefined,
): Promise<void> {
  await writeEvents(deps, event ? [event] : [])
}

/** Like `writeEvent` for several events; rotates a file that is too large first. */
async function writeEvents(
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
 * Records events without a change of their own, plus related rows. Errors are only logged.
 * @param also runs in the same transaction, whether telemetry is on or off
 */
export async function noteEvents(
  deps: Pick<Ground, 'store' | 'configuration' | 'environment' | 'clock' | 'paths' | 'log'>,
  events: readonly TelemetryEvent[],
  also?: (tables: Tables) => Promise<void>,
): Promise<void> {
  try {
    const recorded = await deps.store.write({ until: 'committed' }, async tables => {
      const recorded: NewEvent[] = []
      await also?.(tables)
      for (const event of events) {
        const one = await recordEvent(deps, tables, event)
        if (one) recorded.push(one)
      }
      return recorded
    })
    await writeEvents(deps, recorded)
  } catch (error) {
    deps.log.warn({ err: error }, 'telemetry not recorded')
  }
}

/** A hash that replaces a key in events; equal for equal keys. */
export function anonymousKey(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16)
}
