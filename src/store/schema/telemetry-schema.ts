import type { Generated } from 'kysely'

/** Something that happened, without anything that says to whom. */
export interface TelemetryEventsTable {
  /** In the order in which they were written, whatever the clock said; never given twice. */
  id: Generated<number>
  event: string
  at: string
  /** JSON object. */
  properties: string
}

/** Events of an hour or a day, counted. */
export interface TelemetryCountsTable {
  span: 'hour' | 'day'
  /** Its beginning: `2026-01-31` or `2026-01-31T09`, UTC. */
  period: string
  counter: string
  value: number
}

export interface TelemetrySchema {
  telemetry_events: TelemetryEventsTable
  telemetry_counts: TelemetryCountsTable
}
