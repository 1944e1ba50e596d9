import type { Generated } from 'kysely'
import type { AgentSchema, TaskSchema } from './agent-schema.js'
import type { CodeSchema } from './code-schema.js'
import type { ConnectorSchema, DocumentSchema } from './document-schema.js'
import type { ImportSchema } from './import-schema.js'
import type { OntologySchema } from './ontology-schema.js'
import type {
  InferenceSchema,
  RecallRecordSchema,
  RepairSchema,
  SyncSchema,
  TelemetrySchema,
} from './operations-schema.js'
import type { CredentialSchema, NodeSchema, ProjectSchema } from './platform-schema.js'
import type { SourceSchema } from './source-schema.js'
import type { ContinuitySchema, TranscriptSchema } from './transcript-schema.js'

export interface MemoriesTable {
  id: string
  content: string
  content_hash: string
  /**
   * A hash is unique in its space: '' is shared by agents that see each other's global rows, others belong to
   * one agent.
   */
  hash_space: string
  type: string
  importance: number
  /** Comma-separated (rules.md 1.2). */
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
  /** Initial count from an import or an earlier release; later recalls are in `memory_accesses`. */
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
  /** The structured payload as JSON text, kept as evidence. */
  structured: string | null
  safety_status: string
  /** Comma-separated reason codes. */
  safety_reasons: string
  /** Comma-separated ids of the rules that decided. */
  safety_rules: string
  safety_policy: string
  safety_scanned_at: string
  /** Change number of its last mutation, which the index follows. */
  change: number
  /** Number of holders besides the first, who is in this row: see `memory_holders`. */
  further_holders: Generated<number>
  /** Git branch on which it was saved; null outside a repository. */
  branch: string | null
  /** Commit that was checked out then. */
  commit_id: string | null
  /** How the white space of the given text differs from the content; null when it does not. */
  layout: string | null
  /** Hidden from recall from then on, unless pinned (rules.md 1.4.1). */
  expires_at: string | null
}

/** Recalls of a memory beyond the count in its own row, without those still in the access log. */
export interface MemoryAccessesTable {
  memory_id: string
  count: number
  last_at: string
}

/** Recent recalls, up to one second in a row. */
export interface MemoryAccessLogTable {
  /** Time of the last one. */
  at: string
  /** JSON object: number of recalls by memory id. */
  counts: string
}

/**
 * Holders of memories besides the first, with columns of the memory that a trigger keeps equal for the
 * indexes.
 */
export interface MemoryHoldersTable {
  memory_id: string
  agent_id: string
  project: string | null
  scope: string | null
  /** `private` hides it from other agents. */
  visibility: string
  held_at: string
  type: string
  importance: number
  pinned: number
  created_at: string
  /** 1 while the memory is live, clean and not superseded. */
  tellable: number
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
  /** The row number of the memory. */
  rowid: number
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
  /** Id of its subject: a memory, a capture, an agent. */
  subject: string
  status: string
  attempts: number
  max_attempts: number
  leased_at: string | null
  run_after: string
  last_error: string | null
  created_at: string
  updated_at: string
  completed_at: string | null
  /** JSON of further parameters. */
  payload: string
  /** The node that alone may do it; null for any. */
  node: string | null
  /** The node that does it; null with one daemon. */
  leased_by: string | null
}

/** Memories that retention deleted; the product does not read them. */
export interface ColdMemoriesTable {
  id: string
  /** Its first holder. */
  agent_id: string
  deleted_at: string
  stored_at: string
  /** The whole row with its hints and further holders as JSON. */
  record: string
}

export interface AgentsTable {
  id: string
  name: string
  read_policy: string
  policy_group: string | null
  created_at: string
  updated_at: string
  /** JSON of the running removal; null while the agent is in the roster. */
  removal: string | null
}

/** A session with recalls; `used_at` is the time of the last one. */
export interface RecallSessionsTable {
  agent_id: string
  session_key: string
  /** Number of compactions of its context. */
  epoch: number
  used_at: string
}

export interface RecalledMemoriesTable {
  agent_id: string
  session_key: string
  memory_id: string
  /** The last epoch in which the session was shown it. */
  epoch: number
  /** -1 to 1; null until rated. */
  rating: number | null
}

/** A session of a harness. Its claim on the runtime path is valid until `expires_at`. */
export interface SessionsTable {
  agent_id: string
  session_key: string
  harness: string
  project: string | null
  cwd: string | null
  runtime_path: string | null
  claimed_at: string | null
  expires_at: string | null
  bypassed: Generated<number>
  parent_key: string | null
  harness_agent_id: string | null
  transcript_path: string | null
  started_at: string
  seen_at: string
  ended_at: string | null
  end_reason: string | null
  /** 1 once its end was counted. */
  end_counted: Generated<number>
  prompts: Generated<number>
  /** Characters of the transcript covered by checkpoints. */
  checkpoint_cursor: Generated<number>
  compaction_path: string | null
  captured_at: string | null
  /** Attempts of the sweep to end it since it was last seen. */
  sweep_attempts: Generated<number>
}

/** The black box of a session: its size and the time of the last event. */
export interface SessionLogsTable {
  agent_id: string
  session_key: string
  project: string | null
  /** Number of events ever written, which is the position of the last one. */
  events: number
  recall_events: number
  artifact_events: number
  last_at: string
}

/** A recall, injection or write of a session. */
export interface SessionEventsTable {
  agent_id: string
  session_key: string
  /** From 1, in the order of writing. */
  position: number
  id: string
  kind: string
  at: string
  title: string
  detail: string
  /** JSON list of ids. */
  refs: string
  /** JSON object. */
  payload: string
}

/** A summary node: a session, or a compaction, which summarizes its session so far. */
export interface SummaryNodesTable {
  id: string
  agent_id: string
  kind: string
  /** 0 for content from a transcript; otherwise one more than the deepest node it summarizes. */
  depth: number
  source_type: string
  source_ref: string
  session_key: string | null
  harness: string | null
  project: string | null
  content: string
  /** JSON object. */
  meta: string
  safety_status: string
  safety_policy: string
  starts_at: string
  ends_at: string
  created_at: string
}

export interface SummaryEdgesTable {
  parent_id: string
  child_id: string
  position: number
}

export interface SummaryMemoriesTable {
  node_id: string
  memory_id: string
}

/** A compaction of a session's context by its harness: the memory and file of its summary. */
export interface CompactionsTable {
  node_id: string
  agent_id: string
  /** Empty when the harness named no session. */
  session_key: string
  memory_id: string
  summary_hash: string
  /** Path of its file, relative to the workspace. */
  path: string
  captured_at: string
  /** Text of its file until the compaction is processed; null afterwards. */
  document: string | null
  /** The context epoch it began; null before that. */
  context_epoch: number | null
}

/** One use of a skill by an agent; `source` is "reported" or "hook". */
export interface SkillUsesTable {
  id: string
  agent_id: string
  skill: string
  success: number
  latency_ms: number | null
  source: string
  at: string
}

export interface MetaTable {
  key: string
  value: string
}

export interface Schema
  extends AgentSchema,
    TelemetrySchema,
    TranscriptSchema,
    DocumentSchema,
    CodeSchema,
    ConnectorSchema,
    CredentialSchema,
    NodeSchema,
    SourceSchema,
    OntologySchema,
    ProjectSchema,
    ImportSchema,
    TaskSchema,
    InferenceSchema,
    RepairSchema,
    RecallRecordSchema,
    SyncSchema,
    ContinuitySchema {
  memories: MemoriesTable
  memory_holders: MemoryHoldersTable
  memory_accesses: MemoryAccessesTable
  memory_access_log: MemoryAccessLogTable
  memory_history: HistoryTable
  memory_vectors: VectorsTable
  memory_hints: HintsTable
  cold_memories: ColdMemoriesTable
  jobs: JobsTable
  agents: AgentsTable
  recall_sessions: RecallSessionsTable
  recalled_memories: RecalledMemoriesTable
  sessions: SessionsTable
  session_logs: SessionLogsTable
  session_events: SessionEventsTable
  temporal_nodes: SummaryNodesTable
  temporal_edges: SummaryEdgesTable
  temporal_memories: SummaryMemoriesTable
  compactions: CompactionsTable
  skill_uses: SkillUsesTable
  meta: MetaTable
}
