/** Sources, their artifacts and chunks, the progress of indexing, and code that memories mention. */
export const sources = `
-- The counts change in the same transaction as the rows that they count.
CREATE TABLE sources (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  root TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1,
  settings TEXT NOT NULL,
  exclude_globs TEXT NOT NULL DEFAULT '[]',
  pass INTEGER NOT NULL DEFAULT 0,
  artifacts INTEGER NOT NULL DEFAULT 0,
  chunks INTEGER NOT NULL DEFAULT 0,
  covered INTEGER NOT NULL DEFAULT 0,
  links INTEGER NOT NULL DEFAULT 0,
  links_due INTEGER NOT NULL DEFAULT 0,
  communities INTEGER NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  last_indexed_at TEXT,
  recalled_at TEXT,
  removed_at TEXT,
  purged INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sources_agent ON sources (agent_id);
CREATE INDEX sources_removed ON sources (id) WHERE removed_at IS NOT NULL;

CREATE TABLE source_artifacts (
  id TEXT PRIMARY KEY,
  source_id TEXT NOT NULL,
  path TEXT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT,
  names TEXT NOT NULL DEFAULT '[]',
  url TEXT,
  author TEXT,
  source_updated_at TEXT,
  fingerprint TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  pass INTEGER NOT NULL,
  chunk_count INTEGER NOT NULL DEFAULT 0,
  is_local_only INTEGER NOT NULL DEFAULT 0,
  removed INTEGER NOT NULL DEFAULT 0,
  safety_status TEXT NOT NULL,
  safety_reasons TEXT NOT NULL,
  safety_policy TEXT NOT NULL,
  safety_scanned_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE UNIQUE INDEX source_artifacts_path ON source_artifacts (source_id, path) WHERE removed = 0;
CREATE INDEX source_artifacts_removed ON source_artifacts (source_id, id) WHERE removed = 1;
CREATE INDEX source_artifacts_policy ON source_artifacts (safety_policy, id) WHERE removed = 0;
CREATE INDEX source_artifacts_safety ON source_artifacts (source_id, safety_status, safety_scanned_at, id)
  WHERE removed = 0;
CREATE INDEX source_artifacts_recent ON source_artifacts (source_id, source_updated_at) WHERE removed = 0;

-- Texts have their own table, so that artifacts are changed and listed without reading them.
CREATE TABLE source_texts (
  artifact_id TEXT PRIMARY KEY REFERENCES source_artifacts (id) ON DELETE CASCADE,
  text TEXT NOT NULL
);

-- A removed chunk stays, without its text, until every index knows of it.
CREATE TABLE source_chunks (
  artifact_id TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  source_id TEXT NOT NULL,
  heading TEXT,
  page TEXT,
  text TEXT NOT NULL,
  safety_status TEXT NOT NULL,
  embedded_by TEXT NOT NULL DEFAULT '',
  removed INTEGER NOT NULL DEFAULT 0,
  change INTEGER NOT NULL,
  PRIMARY KEY (artifact_id, chunk)
);
CREATE UNIQUE INDEX source_chunks_change ON source_chunks (change);
CREATE INDEX source_chunks_embedded ON source_chunks (source_id, embedded_by, change)
  WHERE removed = 0 AND safety_status = 'clean';
CREATE INDEX source_chunks_gone ON source_chunks (change) WHERE removed = 1;
CREATE INDEX source_chunks_safety ON source_chunks (source_id, safety_status) WHERE removed = 0;

CREATE TABLE source_chunk_vectors (
  artifact_id TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (artifact_id, chunk),
  FOREIGN KEY (artifact_id, chunk) REFERENCES source_chunks (artifact_id, chunk) ON DELETE CASCADE
);

CREATE TABLE source_index_jobs (
  source_id TEXT PRIMARY KEY REFERENCES sources (id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  status_message TEXT,
  partial INTEGER NOT NULL DEFAULT 0,
  is_full INTEGER NOT NULL DEFAULT 0,
  scanned INTEGER NOT NULL DEFAULT 0,
  indexed INTEGER NOT NULL DEFAULT 0,
  total INTEGER,
  pause_reason TEXT,
  resume_frontier TEXT,
  retry_at TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 1,
  queued_at TEXT NOT NULL,
  started_at TEXT,
  ended_at TEXT,
  updated_at TEXT NOT NULL
);

CREATE TABLE source_checkpoints (
  source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  partial INTEGER NOT NULL DEFAULT 0,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (source_id, key)
);

CREATE TABLE source_faults (
  source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  message TEXT NOT NULL,
  recoverable INTEGER NOT NULL,
  guidance TEXT,
  pass INTEGER NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (source_id, path)
);

CREATE TABLE source_links (
  artifact_id TEXT NOT NULL REFERENCES source_artifacts (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  source_id TEXT NOT NULL,
  target TEXT NOT NULL,
  text TEXT,
  to_path TEXT,
  PRIMARY KEY (artifact_id, position)
);
CREATE INDEX source_links_source ON source_links (source_id, artifact_id, position);

-- Projects whose code is read, or may be.
CREATE TABLE code_projects (
  root TEXT NOT NULL PRIMARY KEY,
  project TEXT,
  named INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  indexed_at TEXT,
  job TEXT,
  tied_change INTEGER NOT NULL DEFAULT 0
);

-- Mentions of project code in memories, and whether that code still exists.
CREATE TABLE code_ties (
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  root TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  path TEXT,
  line INTEGER,
  hash TEXT,
  state TEXT NOT NULL,
  moved_at TEXT,
  PRIMARY KEY (memory_id, root, kind, target)
);
CREATE INDEX code_ties_root ON code_ties (root, memory_id, kind, target);
CREATE INDEX code_ties_moved ON code_ties (moved_at, memory_id) WHERE state <> 'here';
`
