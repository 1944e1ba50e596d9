import type { Generated } from 'kysely'

/** A recorded recall. */
export interface RecallRecordsTable {
  id: string
  created_at: string
  /** The path of the request. */
  route: string
  agent_id: string
  session_key: string | null
  /** The scope of the credential. */
  scope_project: string | null
  scope_user: string | null
  /** The query without private spans, truncated if long. */
  query: string
  /** JSON of the other request parameters. */
  request: string
  /** JSON list of the ids that the session had been shown before. */
  withheld: string
  /** 1 when the request is complete and can be repeated. */
  whole: number
  result_count: number
  /** Null without results. */
  top_score: number | null
  duration_ms: number
}

/** A result of a recorded recall. */
export interface RecallRecordResultsTable {
  record_id: string
  /** From 1. */
  rank: number
  /** Id of the memory, the passage or the entity. */
  row_id: string
  score: number
  source: string
  /** Beginning of its text; null once it was forgotten, and for texts generated per recall. */
  content: string | null
}

export interface RecallRecordSchema {
  recall_records: RecallRecordsTable
  recall_record_results: RecallRecordResultsTable
}

/** One accepted repair call, counted for the limits. */
export interface RepairRunsTable {
  id: string
  action: string
  agent_id: string | null
  /** The caller. */
  actor: string
  /** `running`, `done`, `failed`, or `interrupted` by the end of the daemon. */
  outcome: string
  affected: number
  message: string
  started_at: string
  ended_at: string | null
}

/** Progress of a repair that takes several calls. */
export interface RepairOperationsTable {
  id: string
  action: string
  /** Its scope as JSON; only one runs per scope. */
  scope: string
  /** `running`, `complete` or `failed`. */
  status: string
  /** The embedding model at the start; null when irrelevant. */
  profile: string | null
  /** JSON cursor to continue after. */
  place: string
  /** JSON of counts by name. */
  counts: string
  error: string | null
  created_at: string
  updated_at: string
}

/** A vector that no index can contain; a later vector of the same memory is unaffected. */
interface VectorQuarantineTable {
  memory_id: string
  /** Creation time, which identifies the vector. */
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

/** An anonymous event. */
export interface TelemetryEventsTable {
  /** Ascends in the order of writing, whatever the clock shows; never reused. */
  id: Generated<number>
  event: string
  at: string
  /** JSON object. */
  properties: string
}

/** Counters of an hour or a day. */
export interface TelemetryCountsTable {
  span: 'hour' | 'day'
  /** Start of the period: `2026-01-31` or `2026-01-31T09`, UTC. */
  period: string
  counter: string
  value: number
}

export interface TelemetrySchema {
  telemetry_events: TelemetryEventsTable
  telemetry_counts: TelemetryCountsTable
}

/** Usage of a language model for one purpose on one day (inference.md#limits). */
export interface InferenceUsageTable {
  /** `2026-01-31`, UTC. */
  day: string
  purpose: string
  calls: number
  failures: number
  input_tokens: number
  output_tokens: number
  /** Tokens counted against the day's limit, including estimates for calls running now or at a kill. */
  counted_tokens: number
  /** US dollars, of the calls whose cost is known. */
  cost: number
  unpriced_calls: number
}

export interface InferenceSchema {
  inference_usage: InferenceUsageTable
}

/** One memory as the devices know it, with the keys by which others of the same text are found. */
export interface SyncMemoriesTable {
  id: string
  /** Hash of its present text; empty while the text is unknown. */
  hash: string
  /** Keyed hashes of its present text and of its first one. */
  text_key: string
  first_key: string
  replaced_by: string | null
  /** JSON of all that devices told. */
  known: string
}

/** The last moments at which a text was forgotten, recovered or purged. */
export interface SyncTextsTable {
  key: string
  forgotten: string | null
  recovered: string | null
  purged: string | null
}

export interface SyncSegmentsTable {
  /** SHA-256 of the whole file. */
  hash: string
  device: string
  number: number
  /** Those of an own segment that the store does not have yet. */
  bytes: Uint8Array | null
}

/** Tables of sync; all are empty while it is off. */
export interface SyncSchema {
  sync_state: { key: string; value: string }
  sync_memories: SyncMemoriesTable
  sync_texts: SyncTextsTable
  /** An empty clock: the purge was not told yet. */
  sync_purged: { id: string; clock: string }
  sync_agents: { name: string; clock: string; policy: string | null }
  sync_outbox: { number: Generated<number>; record: string }
  sync_segments: SyncSegmentsTable
}
