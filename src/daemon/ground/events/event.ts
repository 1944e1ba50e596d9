/** Something that happened, told without a text, a name or a key (telemetry.md 3). */
export interface TelemetryEvent {
  event:
    | 'session.end'
    | 'session.turn'
    | 'source.lifecycle'
    | 'llm.generate'
    | 'inference.route'
    | 'inference.execute'
    | 'inference.fallback'
    | 'dreaming.pass'
    | 'recall.attempted'
    | 'recall.performed'
    | 'recall.outcome'
  /** Counts, durations and words of fixed lists. */
  properties: Readonly<Record<string, string | number | boolean | null>>
}

export interface RecordedEvent extends TelemetryEvent {
  timestamp: string
}
