import { dayMs } from '../../../lib/time.js'
import { EventRecorder } from '../events/event-recorder.js'
import type { Ground } from '../ground.js'
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
  const { store, clock, log } = deps
  const state = { since: 0 }
  return new EventRecorder({
    isEnabled: () => telemetryEnabled(deps),
    clock,
    log,
    write: async events => {
      const before = new Date(clock().getTime() - telemetryDays * dayMs).toISOString()
      const since = state.since + events.length
      const isDue = since >= writtenBetween
      await store.repeatable(async ({ telemetry }) => {
        await telemetry.addAll(events.map(eventRow))
        if (!isDue) return
        await telemetry.purge(before, 2 * since)
        await telemetry.keepNewest(maxEvents, 2 * since)
      })
      state.since = isDue ? 0 : since
      await writeEvents(deps, events)
    },
  })
}
