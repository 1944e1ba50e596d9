import {
  type EventName,
  type EventProperties,
  eventProperties,
  isEventName,
} from '../../../../contract/operations/telemetry-events.js'
import type { Counters } from './counters.js'
import { countPass } from './dreaming.js'
import { countEmbeddings, countExecute, countGenerate, countSession } from './models.js'
import { countOperations, countReading, countRecallOperation, countRecallTime } from './pipeline.js'
import { countAttempt, countOutcome, countPerformed } from './recall.js'

type Count<Name extends EventName> = (counters: Counters, properties: EventProperties<Name>) => void

/** What each event adds to the counters; one that is not here adds to the number of events alone. */
const counts: { [Name in EventName]?: readonly Count<Name>[] } = {
  'recall.attempted': [countAttempt],
  'recall.performed': [countPerformed, countRecallTime],
  'recall.outcome': [countOutcome, countRecallOperation],
  'session.end': [countSession],
  'source.lifecycle': [countReading],
  'llm.generate': [countGenerate],
  'inference.route': [counters => counters.add(['inference', 'routes'])],
  'inference.execute': [countExecute],
  'inference.fallback': [counters => counters.add(['inference', 'fallbacks'])],
  'embedding.generate': [countEmbeddings],
  'dreaming.pass': [countPass],
  'pipeline.operation': [countOperations],
}

/** Adds a stored event. One of an earlier release, with other properties, counts as an event and no more. */
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
