import { createHash } from 'node:crypto'
import {
  type EventName,
  eventProperties,
  isEventName,
  localProperties,
} from '../../../../contract/operations/telemetry/telemetry-events.js'
import type { EventRow } from '../../../../store/tables/operations/telemetry.js'

/** Limit of one request. */
const maxBytes = 256 * 1024

export interface Payload {
  body: string
  /** Number of events included; other rows are skipped. */
  events: number
  /** Id of the last row covered. */
  lastId: number
}

/**
 * Builds a request from stored events, as many as fit, oldest first. It includes only documented events and
 * properties (telemetry.md 8). Equal events give an equal `batch`, so a receiver recognises a repeated one.
 */
export function payloadOf(rows: readonly EventRow[]): Payload {
  const told: string[] = []
  let bytes = 0
  let lastId = 0
  for (const row of rows) {
    const text = eventJson(row)
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

/** @returns undefined for an event of another release, since its properties can't be checked */
function eventJson({ event, properties, at }: EventRow): string | undefined {
  if (!isEventName(event)) return undefined
  const read = eventProperties[event].safeParse(JSON.parse(properties))
  if (!read.success) return undefined
  return JSON.stringify({ event, properties: withoutLocal(event, read.data), timestamp: at })
}

function withoutLocal(event: EventName, properties: object): object {
  const kept = localProperties[event] ?? []
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !kept.includes(name)))
}
