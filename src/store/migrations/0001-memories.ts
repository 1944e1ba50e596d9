/** Memories with their history, vectors and hints; jobs, agents and the change sequence. */
export const memories = `
CREATE TABLE memories (
  id TEXT PRIMARY KEY,
  content TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  hash_space TEXT NOT NULL,
  type TEXT NOT NULL,
  importance REAL NOT NULL,
  tags TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  who TEXT,
  source_id TEXT,
  source_type TEXT,
  source_path TEXT,
  runtime_path TEXT,
  idempotency_key TEXT,
  project TEXT,
  scope TEXT,
  session_id TEXT,
  confidence REAL,
  access_count INTEGER NOT NULL DEFAULT 0,
  last_accessed TEXT,
  is_deleted INTEGER NOT NULL DEFAULT 0,
  deleted_at TEXT,
  extraction_status TEXT NOT NULL,
  embedding_model TEXT,
  version INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  memory_kind TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  visibility TEXT NOT NULL,
  superseded_by TEXT,
  superseded_at TEXT,
  superseded_reason TEXT,
  occurred_at TEXT,
  observed_at TEXT,
  source_created_at TEXT,
  valid_from TEXT,
  valid_until TEXT,
  review_after TEXT,
  structured TEXT,
  safety_status TEXT NOT NULL,
  safety_reasons TEXT NOT NULL,
  safety_policy TEXT NOT NULL,
  safety_scanned_at TEXT NOT NULL,
  change INTEGER NOT NULL
);
CREATE UNIQUE INDEX memories_hash ON memories (content_hash, hash_space) WHERE is_deleted = 0;
CREATE UNIQUE INDEX memories_idempotency ON memories
  (idempotency_key, agent_id, visibility, (COALESCE(scope, ''))) WHERE is_deleted = 0 AND idempotency_key IS NOT NULL;
CREATE INDEX memories_source ON memories (source_id) WHERE is_deleted = 0 AND source_id IS NOT NULL;
CREATE INDEX memories_recent ON memories (is_deleted, created_at, id);
CREATE INDEX memories_change ON memories (change);

CREATE TABLE memory_history (
  id TEXT PRIMARY KEY,
  memory_id TEXT NOT NULL,
  event TEXT NOT NULL,
  old_content TEXT,
  new_content TEXT,
  changed_by TEXT NOT NULL,
  actor_type TEXT NOT NULL,
  reason TEXT NOT NULL,
  metadata TEXT,
  session_id TEXT,
  request_id TEXT,
  created_at TEXT NOT NULL,
  change INTEGER NOT NULL
);
CREATE INDEX memory_history_memory ON memory_history (memory_id, change);

CREATE TABLE memory_vectors (
  memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  vector BLOB NOT NULL,
  created_at TEXT NOT NULL
);

CREATE TABLE memory_hints (
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  hint TEXT NOT NULL,
  PRIMARY KEY (memory_id, position)
);

CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  leased_at TEXT,
  run_after TEXT NOT NULL,
  last_error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  completed_at TEXT
);
CREATE UNIQUE INDEX jobs_open ON jobs (kind, memory_id) WHERE status IN ('pending', 'leased');
CREATE INDEX jobs_next ON jobs (status, run_after, id);

CREATE TABLE agents (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  read_policy TEXT NOT NULL,
  policy_group TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO meta (key, value) VALUES ('change', '0');
`
