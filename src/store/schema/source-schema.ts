import type { Generated } from 'kysely'

/** An external place that is read but never modified (sources.md). */
export interface SourcesTable {
  id: string
  agent_id: string
  kind: string
  name: string
  root: string
  enabled: Generated<number>
  /** JSON settings of its kind. */
  settings: string
  /** JSON list. */
  exclude_globs: Generated<string>
  /** Number of the current or last pass. */
  pass: Generated<number>
  artifacts: Generated<number>
  chunks: Generated<number>
  /** Artifacts whose passages are complete. */
  covered: Generated<number>
  /** Resolved links between its artifacts, and groups of linked artifacts. */
  links: Generated<number>
  /** 1 when artifacts changed since links were last resolved. */
  links_due: Generated<number>
  communities: Generated<number>
  created_by: string
  created_at: string
  updated_at: string
  last_indexed_at: string | null
  /** When a recall first returned something from it. */
  recalled_at: string | null
  /** Time of the tombstone, which hides the source while its data is purged. */
  removed_at: string | null
  /** Artifacts purged since then. */
  purged: Generated<number>
}

export interface SourceArtifactsTable {
  id: string
  source_id: string
  path: string
  kind: string
  title: string | null
  /** JSON list of further searchable names. */
  names: Generated<string>
  url: string | null
  author: string | null
  source_updated_at: string | null
  /** Shows its kind that it is unchanged; empty while its passages are being written. */
  fingerprint: string
  /** SHA-256 of the text. */
  content_hash: string
  /** The last pass that saw it. */
  pass: number
  chunk_count: Generated<number>
  is_local_only: Generated<number>
  removed: Generated<number>
  safety_status: string
  safety_reasons: string
  safety_policy: string
  safety_scanned_at: string
  created_at: string
  updated_at: string
}

export interface SourceTextsTable {
  artifact_id: string
  text: string
}

export interface SourceChunksTable {
  artifact_id: string
  chunk: number
  source_id: string
  heading: string | null
  page: string | null
  /** Empty once it is removed. */
  text: string
  safety_status: string
  /** `provider/model` last asked for its vector. */
  embedded_by: Generated<string>
  removed: Generated<number>
  /** Change number of its last mutation, which the index follows. */
  change: number
}

export interface SourceChunkVectorsTable {
  artifact_id: string
  chunk: number
  provider: string
  model: string
  vector: Uint8Array
}

export interface SourceIndexJobsTable {
  source_id: string
  status: string
  status_message: string | null
  partial: Generated<number>
  /** Reads unchanged artifacts too. */
  is_full: Generated<number>
  scanned: Generated<number>
  indexed: Generated<number>
  total: number | null
  pause_reason: string | null
  resume_frontier: string | null
  /** When a paused job resumes. */
  retry_at: string | null
  /** Runs started since the last completed one. */
  attempts: Generated<number>
  /** Number of requests; a further one during a run means another run. */
  requests: Generated<number>
  queued_at: string
  started_at: string | null
  ended_at: string | null
  updated_at: string
}

export interface SourceCheckpointsTable {
  source_id: string
  key: string
  value: string
  partial: Generated<number>
  updated_at: string
}

export interface SourceFaultsTable {
  source_id: string
  path: string
  message: string
  recoverable: number
  /** Instructions for the user, when access is denied. */
  guidance: string | null
  pass: number
  at: string
}

export interface SourceLinksTable {
  artifact_id: string
  position: number
  source_id: string
  /** As written. */
  target: string
  text: string | null
  /** Path of the artifact it links to. */
  to_path: string | null
}

/** A subject that Dreaming should review. */
export interface AttentionsTable {
  id: string
  agent_id: string
  /** `source`, `artifact`, `memory`, `claim` or `entity`. */
  subject_kind: string
  subject: string
  /** `new_evidence`, `review_due`, `hygiene`, `unsupported_source`, `contradiction`. */
  kind: string
  /** `waiting`, `done`, `empty`, `declined` or `failed`. */
  state: string
  detail: string | null
  attempts: Generated<number>
  created_at: string
  updated_at: string
  /** Earliest time of the next attempt; empty for at once. */
  run_after: Generated<string>
}

export interface SourceSchema {
  sources: SourcesTable
  source_artifacts: SourceArtifactsTable
  source_texts: SourceTextsTable
  source_chunks: SourceChunksTable
  source_chunk_vectors: SourceChunkVectorsTable
  source_index_jobs: SourceIndexJobsTable
  source_checkpoints: SourceCheckpointsTable
  source_faults: SourceFaultsTable
  source_links: SourceLinksTable
  attentions: AttentionsTable
}
