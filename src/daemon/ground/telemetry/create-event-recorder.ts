import { dayMs } from '../../../lib/time.js'
import { EventRecorder } from '../events/event-recorder.js'
import type { Ground } from '../ground.js'
import { eventRow, telemetryEnabled, writeEvents } from './record-event.js'

/** Events are kept for so long. */
export const telemetryDays = 90

type Deps = Pick<Ground, 'store' | 'configuration' | 'environment' | 'clock' | 'newId' | 'paths' | 'log'>

/** A recorder that writes into the database and the file of events; a fault of the file costs its lines alone. */
export function createEventRecorder(deps: Deps): EventRecorder {
  const { store, clock, log } = deps
  return new EventRecorder({
    isEnabled: () => telemetryEnabled(deps),
    clock,
    log,
    write: async events => {
      const before = new Date(clock().getTime() - telemetryDays * dayMs).toISOString()
      await store.repeatable(async ({ telemetry }) => {
        for (const event of events) await telemetry.add(eventRow(deps, event))
        // As fast as new ones come, so that no burst outruns the sweeps.
        await telemetry.purge(before, 2 * events.length)
      })
      await writeEvents(deps, events)
    },
  })
}
