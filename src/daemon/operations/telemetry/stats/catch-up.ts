import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { countEvent } from './count-event.js'
import { Counters } from './counters.js'

/** Events that are counted in one transaction: a few milliseconds. */
const eventsTogether = 250

/**
 * Counts events that were written since it was last done, by hour and day, with the place up to which that is so: a kill
 * counts none twice. What was there before counting began is counted too.
 */
export async function catchUp({ store }: Pick<Daemon, 'store'>, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await countSome(store))) await nextTurn()
}

/** @returns whether there may be more. */
async function countSome(store: Daemon['store']): Promise<boolean> {
  const place = async () => Number((await store.tables.meta.placeOf('telemetry-counted')) ?? 0)
  const from = await place()
  const events = await store.tables.telemetry.after(from, eventsTogether)
  const last = events.at(-1)
  if (!last) return false
  const byPeriod = new Map<string, Counters>()
  for (const { at, event, properties } of events) {
    const hour = at.slice(0, 13)
    const counters = byPeriod.get(hour) ?? new Counters()
    byPeriod.set(hour, counters)
    countEvent(counters, event, properties)
  }
  await store.repeatable(async ({ meta, telemetryCounts }) => {
    // Another reader may have counted them meanwhile.
    if (Number((await meta.placeOf('telemetry-counted')) ?? 0) !== from) return
    for (const [hour, counters] of byPeriod)
      for (const [counter, value] of counters.entries()) {
        await telemetryCounts.add({ span: 'hour', period: hour, counter, value })
        await telemetryCounts.add({ span: 'day', period: hour.slice(0, 10), counter, value })
      }
    await meta.notePlace('telemetry-counted', String(last.id))
  })
  return true
}
