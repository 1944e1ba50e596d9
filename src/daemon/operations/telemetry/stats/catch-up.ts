import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventRow } from '../../../../store/tables/operations/telemetry.js'
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
  const byPeriod = countedByHour(events)
  await store.repeatable(async ({ meta, telemetryCounts }) => {
    // Another reader may have counted them meanwhile.
    if (Number((await meta.placeOf('telemetry-counted')) ?? 0) !== from) return
    for (const [hour, counters] of byPeriod) {
      const rows = [...counters.entries()].map(([counter, value]) => ({ counter, value }))
      await telemetryCounts.addAll(rows.map(row => ({ span: 'hour', period: hour, ...row })))
      await telemetryCounts.addAll(rows.map(row => ({ span: 'day', period: hour.slice(0, 10), ...row })))
    }
    await meta.notePlace('telemetry-counted', String(last.id))
  })
  return true
}

/** Events of one hour that are alike are read once: most are. */
function countedByHour(events: readonly EventRow[]): Map<string, Counters> {
  const alike = new Map<string, { hour: string; row: EventRow; times: number }>()
  for (const row of events) {
    const hour = row.at.slice(0, 13)
    const key = `${hour} ${row.event} ${row.properties}`
    const known = alike.get(key)
    if (known) known.times++
    else alike.set(key, { hour, row, times: 1 })
  }
  const byHour = new Map<string, Counters>()
  for (const { hour, row, times } of alike.values()) {
    const counters = byHour.get(hour) ?? new Counters()
    byHour.set(hour, counters)
    const one = new Counters()
    countEvent(one, row.event, row.properties)
    for (const [counter, value] of one.entries()) counters.addNamed(counter, times * value)
  }
  return byHour
}
