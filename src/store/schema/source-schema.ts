import type { Generated } from 'kysely'

/** A place of others that is read and never touched (sources.md). */
export interface SourcesTable {
  id: string
  agent_id: string
  kind: string
  name: string
  root: string
  enabled: Generated<number>
  /** JSON of what its kind reads it by. */
  settings: string
  /** JSON list. */
  exclude_globs: Generated<string>
  /** Number of the pass that runs or ran last. */
  pass: Generated<number>
  artifacts: Generated<number>
  chunks: Generated<number>
  /** Artifacts whose chunks stand. */
  covered: Generated<number>
  /** Links between its artifacts that lead somewhere, and groups of artifacts that they join. */
  links: Generated<number>
  /** Artifacts came, went or changed since links were followed last. */
  links_due: Generated<number>
  communities: Generated<number>
  created_by: string
  created_at: string
  updated_at: string
  last_indexed_at: string | null
  /** When something of it was found for the first time. */
  recalled_at: string | null
  /** The tombstone: from then on nobody sees it, and what it brought goes. */
  removed_at: string | null
  /** Artifacts that went since then. */
  purged: Generated<number>
}

export interface SourceArtifactsTable {
  id: string
  source_id: string
  path: string
  kind: string
  title: string | null
  /** JSON list: further names that it is searched by. */
  names: Generated<string>
  url: string | null
  author: string | null
  source_updated_at: string | null
  /** By which its kind knows that it is unchanged; empty while its chunks are being written. */
  fingerprint: string
  /** SHA-256 of what was read. */
  content_hash: string
  /** The last pass that told of it. */
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
  /** `provider/model` that was asked for its vector last. */
  embedded_by: Generated<string>
  removed: Generated<number>
  /** Change sequence of its last mutation; the index catches up by it. */
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
  /** Reads what looks unchanged too. */
  is_full: Generated<number>
  scanned: Generated<number>
  indexed: Generated<number>
  total: number | null
  pause_reason: string | null
  resume_frontier: string | null
  /** When a paused job goes on by itself. */
  retry_at: string | null
  /** Runs that began since one last came to an end. */
  attempts: Generated<number>
  /** How often it was asked for: once more while it runs means that it runs again. */
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
  /** What a person can do about it, where something is denied. */
  guidance: string | null
  pass: number
  at: string
}

export interface SourceLinksTable {
  artifact_id: string
  position: number
  source_id: string
  /** As it is written. */
  target: string
  text: string | null
  /** The artifact that it leads to. */
  to_path: string | null
}

/** Something that Dreaming should look at. */
export interface AttentionsTable {
  id: string
  agent_id: string
  /** What the subject is: `source`, `artifact`, `memory`, `claim`, `entity`. */
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
  /** Not looked at before; empty for at once. */
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
