import { createHash } from 'node:crypto'
import {
  type EventName,
  eventProperties,
  isEventName,
  keptHere,
} from '../../../../contract/operations/telemetry/telemetry-events.js'
import type { EventRow } from '../../../../store/tables/operations/telemetry.js'

/** Of one request. */
const maxBytes = 256 * 1024

export interface Payload {
  body: string
  /** Events in it; others of its rows stay here. */
  events: number
  /** The last row that it is about. */
  lastId: number
}

/**
 * What is sent of stored events, as many as fit, oldest first: documented events with documented properties alone
 * (telemetry.md 8). The same events give the same `batch`, so that a receiver knows a batch that comes again.
 */
export function payloadOf(rows: readonly EventRow[]): Payload {
  const told: string[] = []
  let bytes = 0
  let lastId = 0
  for (const row of rows) {
    const text = toldOf(row)
    if (text !== undefined) {
      if (told.length > 0 && bytes + text.length > maxBytes) break
      bytes += text.length
      told.push(text)
    }
    lastId = row.id
  }
  const events = `[${told.join(',')}]`
  const batch = createHash('sha256').update(events).digest('hex').slice(0, 32)
  return { body: `{"version":1,"batch":"${batch}","events":${events}}`, events: told.length, lastId }
}

/** Undefined for an event of another release, whose properties nobody can vouch for. */
function toldOf({ event, properties, at }: EventRow): string | undefined {
  if (!isEventName(event)) return undefined
  const read = eventProperties[event].safeParse(JSON.parse(properties))
  if (!read.success) return undefined
  return JSON.stringify({ event, properties: without(event, read.data), timestamp: at })
}

function without(event: EventName, properties: object): object {
  const kept = keptHere[event] ?? []
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !kept.includes(name)))
}
