import type { Generated } from 'kysely'

export interface MemoriesTable {
  id: string
  content: string
  content_hash: string
  /** A hash is unique in its space: '' is shared by all who see each other's global rows, others are one agent's. */
  hash_space: string
  type: string
  importance: number
  /** Comma-separated (spec 1, 1.2). */
  tags: string
  pinned: number
  who: string | null
  source_id: string | null
  source_type: string | null
  source_path: string | null
  runtime_path: string | null
  idempotency_key: string | null
  project: string | null
  scope: string | null
  session_id: string | null
  confidence: number | null
  access_count: Generated<number>
  last_accessed: string | null
  is_deleted: Generated<number>
  deleted_at: string | null
  extraction_status: string
  embedding_model: string | null
  version: Generated<number>
  created_at: string
  updated_at: string
  updated_by: string
  memory_kind: string
  agent_id: string
  visibility: string
  superseded_by: string | null
  superseded_at: string | null
  superseded_reason: string | null
  occurred_at: string | null
  observed_at: string | null
  source_created_at: string | null
  valid_from: string | null
  valid_until: string | null
  review_after: string | null
  /** The structured payload as JSON text; kept as evidence. */
  structured: string | null
  safety_status: string
  /** Comma-separated reason codes. */
  safety_reasons: string
  safety_policy: string
  safety_scanned_at: string
  /** Change sequence of its last mutation; the index catches up by it. */
  change: number
}

export interface HistoryTable {
  id: string
  memory_id: string
  event: string
  old_content: string | null
  new_content: string | null
  changed_by: string
  actor_type: string
  reason: string
  metadata: string | null
  session_id: string | null
  request_id: string | null
  created_at: string
  /** Orders events of one instant. */
  change: number
}

export interface VectorsTable {
  memory_id: string
  provider: string
  model: string
  dimensions: number
  /** Float32, little endian, unit length. */
  vector: Uint8Array
  created_at: string
}

export interface HintsTable {
  memory_id: string
  position: number
  hint: string
}

export interface JobsTable {
  id: string
  kind: string
  memory_id: string
  status: string
  attempts: number
  max_attempts: number
  leased_at: string | null
  run_after: string
  last_error: string | null
  created_at: string
  updated_at: string
  completed_at: string | null
}

/** What retention took out of `memories`: nothing reads it but a person with a database tool. */
export interface ColdMemoriesTable {
  id: string
  deleted_at: string
  stored_at: string
  /** The whole row and its hints as JSON. */
  record: string
}

export interface AgentsTable {
  id: string
  name: string
  read_policy: string
  policy_group: string | null
  created_at: string
  updated_at: string
}

/** A session that recalled with a key; `used_at` is when it last did. */
export interface RecallSessionsTable {
  agent_id: string
  session_key: string
  /** Counts the compactions of its context. */
  epoch: number
  used_at: string
}

export interface RecalledMemoriesTable {
  agent_id: string
  session_key: string
  memory_id: string
  /** The last epoch in which the session was shown it. */
  epoch: number
  /** -1 to 1; null while the session has not rated it. */
  rating: number | null
}

export interface ApiKeysTable {
  id: string
  name: string
  /** The first characters of the key. */
  prefix: string
  /** SHA-256 of the key, hexadecimal. */
  hash: string
  role: string
  connector: string | null
  agent_id: string | null
  project: string | null
  user: string | null
  /** JSON list that narrows the role; null leaves it as it is. */
  permissions: string | null
  created_at: string
  created_by: string
  expires_at: string | null
  revoked_at: string | null
}

export interface MetaTable {
  key: string
  value: string
}

export interface Schema {
  memories: MemoriesTable
  memory_history: HistoryTable
  memory_vectors: VectorsTable
  memory_hints: HintsTable
  cold_memories: ColdMemoriesTable
  jobs: JobsTable
  agents: AgentsTable
  api_keys: ApiKeysTable
  recall_sessions: RecallSessionsTable
  recalled_memories: RecalledMemoriesTable
  meta: MetaTable
}
