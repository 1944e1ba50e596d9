import { dayMs } from '../../../lib/time/time.js'
import type { Ground } from '../ground.js'
import { EventRecorder } from '../telemetry/event-recorder.js'
import { eventRow, telemetryEnabled, writeEvents } from './record-event.js'

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
