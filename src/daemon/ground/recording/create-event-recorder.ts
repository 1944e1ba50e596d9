import { dayMs } from '../../../lib/time/time.js'
import type { Ground } from '../ground.js'
import { EventRecorder } from '../telemetry/event-recorder.js'
import { eventRow, telemetryEnabled, writeEvents } from './record-event.js'

/** Events are kept for so long, and so many of them. */
export const telemetryDays = 90
export const maxEvents = 100_000
/** What they tell is counted by hour for so long, and by day for as long as they are kept. */
export const hoursCountedDays = 8
/** Old ones go with every so many that are written, beside the sweeps, so that no burst outruns these. */
const writtenBetween = 500

type Deps = Pick<Ground, 'store' | 'configuration' | 'environment' | 'clock' | 'paths' | 'log'>

/** A recorder that writes into the database and the file of events; a fault of the file costs its lines alone. */
export function createEventRecorder(deps: Deps): EventRecorder {
  const { store, clock, log, configuration } = deps
  let lastSince = 0
  // A process keeps its environment, and to ask the system for it takes as long as all else of an event.
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
