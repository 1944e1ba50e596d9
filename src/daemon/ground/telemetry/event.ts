import type { EventName, EventProperties } from '../../../contract/operations/telemetry/telemetry-events.js'

/** An event without texts, names or keys (telemetry.md 3). */
export type TelemetryEvent<Name extends EventName = EventName> = {
  [N in Name]: { event: N; properties: Readonly<EventProperties<N>> }
}[Name]

export type RecordedEvent<Name extends EventName = EventName> = TelemetryEvent<Name> & { timestamp: string }
