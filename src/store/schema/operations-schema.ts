import type { Generated } from 'kysely'

/** A recall that was recorded. */
export interface RecallRecordsTable {
  id: string
  created_at: string
  /** The path that was asked. */
  route: string
  agent_id: string
  session_key: string | null
  /** What the credential was confined to. */
  scope_project: string | null
  scope_user: string | null
  /** Without private spans; its beginning where it is long. */
  query: string
  /** JSON of what else was asked. */
  request: string
  /** JSON list of the ids that the session had been shown before. */
  withheld: string
  /** 1 when everything that was asked is here, so that it can be asked again. */
  whole: number
  result_count: number
  /** Null where nothing was found. */
  top_score: number | null
  duration_ms: number
}

/** A row that a recorded recall gave. */
export interface RecallRecordResultsTable {
  record_id: string
  /** From 1. */
  rank: number
  /** Id of the memory, the passage or the entity. */
  row_id: string
  score: number
  source: string
  /** Its beginning; null once it was forgotten, and of what is made anew by each recall. */
  content: string | null
}

export interface RecallRecordSchema {
  recall_records: RecallRecordsTable
  recall_record_results: RecallRecordResultsTable
}

/** One call of a repair that was let in: limits count them. */
export interface RepairRunsTable {
  id: string
  action: string
  agent_id: string | null
  /** Who asked. */
  actor: string
  /** `running`, `done`, `failed`, or `interrupted` by the end of the daemon. */
  outcome: string
  affected: number
  message: string
  started_at: string
  ended_at: string | null
}

/** How far a repair came that takes several calls. */
export interface RepairOperationsTable {
  id: string
  action: string
  /** What it is about, as JSON: one runs for each. */
  scope: string
  /** `running`, `complete` or `failed`. */
  status: string
  /** The embedding model that it began with; null where that does not matter. */
  profile: string | null
  /** JSON of the place behind which it goes on. */
  place: string
  /** JSON of counts by name. */
  counts: string
  error: string | null
  created_at: string
  updated_at: string
}

/** A vector that no index can hold; another one of its memory is none of it. */
interface VectorQuarantineTable {
  memory_id: string
  /** Of the vector that is meant. */
  vector_created_at: string
  /** `oversized`. */
  reason: string
  bytes: number
  noted_at: string
}

export interface RepairSchema {
  repair_runs: RepairRunsTable
  repair_operations: RepairOperationsTable
  vector_quarantine: VectorQuarantineTable
}

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

/** What was asked of a language model for one use on one day (inference.md#limits). */
export interface InferenceUsageTable {
  /** `2026-01-31`, UTC. */
  day: string
  purpose: string
  calls: number
  failures: number
  input_tokens: number
  output_tokens: number
  /** What the limit of the day has counted: of questions that are on their way, or were when a kill came, an estimate. */
  counted_tokens: number
  /** US dollars, of those calls whose cost is known. */
  cost: number
  unpriced_calls: number
}

export interface InferenceSchema {
  inference_usage: InferenceUsageTable
}
