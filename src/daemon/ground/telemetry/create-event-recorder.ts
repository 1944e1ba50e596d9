import { dayMs } from '../../../lib/time.js'
import { EventRecorder } from '../events/event-recorder.js'
import type { Ground } from '../ground.js'
import { eventRow, telemetryEnabled, writeEvents } from './record-event.js'

/** Events are kept for so long, and so many of them. */
export const telemetryDays = 90
export const maxEvents = 100_000
/** What they tell is counted by hour for so long, and by day for as long as they are kept. */
export const hoursCountedDays = 8

type Deps = Pick<Ground, 'store' | 'configuration' | 'environment' | 'clock' | 'paths' | 'log'>

/** A recorder that writes into the database and the file of events; a fault of the file costs its lines alone. */
export function createEventRecorder(deps: Deps): EventRecorder {
  const { store, clock, log } = deps
  return new EventRecorder({
    isEnabled: () => telemetryEnabled(deps),
    clock,
    log,
    write: async events => {
      const before = new Date(clock().getTime() - telemetryDays * dayMs).toISOString()
      // Old ones go as fast as new ones come, so that no burst outruns the sweeps.
      const most = 2 * events.length
      await store.repeatable(async ({ telemetry }) => {
        await telemetry.addAll(events.map(eventRow))
        await telemetry.purge(before, most)
        await telemetry.keepNewest(maxEvents, most)
      })
      await writeEvents(deps, events)
    },
  })
}
