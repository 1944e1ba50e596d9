import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type EventName,
  type EventProperties,
  eventProperties,
  isEventName,
} from '../../../../contract/operations/telemetry/telemetry-events.js'
import type { EventRow } from '../../../../store/tables/operations/telemetry.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { Counters } from './counters.js'
import { countPass } from './dreaming.js'
import { countEmbeddings, countExecute, countGenerate, countSession } from './models.js'
import {
  countAttempt,
  countIndexing,
  countOperations,
  countOutcome,
  countPerformed,
  countRecallOperation,
  countRecallTime,
} from './pipeline.js'

/** Events counted per transaction: a few milliseconds. */
const eventsTogether = 250

/**
 * Counts new events by hour and day, together with the position reached, so that a kill counts none twice.
 * Events from before counting existed are included.
 */
export async function catchUp({ store }: Pick<Daemon, 'store'>, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await countSome(store))) await nextTurn()
}

/** @returns whether there may be more */
async function countSome(store: Daemon['store']): Promise<boolean> {
  const place = async () => Number((await store.tables.meta.placeOf('telemetry-counted')) ?? 0)
  const from = await place()
  const events = await store.tables.telemetry.after(from, eventsTogether)
  const last = events.at(-1)
  if (!last) return false
  const byPeriod = countedByHour(events)
  await store.write({ until: 'committed' }, async ({ meta, telemetryCounts }) => {
    // Another reader may have counted them in between.
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

/** Identical events of one hour are parsed once: most are identical. */
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

type Count<Name extends EventName> = (counters: Counters, properties: EventProperties<Name>) => void

/** Counters of each event; an event missing here only adds to the total. */
const counts: { [Name in EventName]?: readonly Count<Name>[] } = {
  'recall.attempted': [countAttempt],
  'recall.performed': [countPerformed, countRecallTime],
  'recall.outcome': [countOutcome, countRecallOperation],
  'session.end': [countSession],
  'source.lifecycle': [countIndexing],
  'llm.generate': [countGenerate],
  'inference.route': [counters => counters.add(['inference', 'routes'])],
  'inference.execute': [countExecute],
  'inference.fallback': [counters => counters.add(['inference', 'fallbacks'])],
  'embedding.generate': [countEmbeddings],
  'dreaming.pass': [countPass],
  'pipeline.operation': [countOperations],
}

/** Adds a stored event. One of an earlier release, with other properties, only adds to the total. */
export function countEvent(counters: Counters, event: string, properties: string): void {
  counters.add(['events'])
  if (isEventName(event)) addProperties(counters, event, properties)
}

function addProperties<Name extends EventName>(counters: Counters, event: Name, properties: string): void {
  const read = eventProperties[event].safeParse(JSON.parse(properties))
  if (!read.success) return
  const wanted: readonly Count<Name>[] = counts[event] ?? []
  for (const count of wanted) count(counters, read.data as EventProperties<Name>)
}
