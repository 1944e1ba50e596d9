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
export interface VectorQuarantineTable {
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
