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
