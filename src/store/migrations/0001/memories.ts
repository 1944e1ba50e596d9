/** Memories with their holders, history, vectors and counts. */
export const memories = `
-- An index for a list has every column that the list filters by, because a row may have megabytes of
-- content before its other columns. Most other indexes are partial. They have the few rows that differ
-- from the usual memory, which belongs to the agent default, has one holder, is not archived and was
-- checked by the present content safety policy. Chunks of documents are not part of a session start.
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
  change INTEGER NOT NULL,
  further_holders INTEGER NOT NULL DEFAULT 0,
  safety_rules TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX memories_idempotency ON memories
  (idempotency_key, agent_id, visibility, (COALESCE(scope, ''))) WHERE is_deleted = 0 AND idempotency_key IS NOT NULL;
CREATE INDEX memories_source ON memories (source_id) WHERE is_deleted = 0 AND source_id IS NOT NULL;
CREATE INDEX memories_change ON memories (change);
CREATE INDEX memories_deleted ON memories (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX memories_summaries ON memories (source_type) WHERE source_type = 'recall-aggregate';
CREATE INDEX memories_recent ON memories
  (is_deleted, created_at, id, further_holders, visibility, agent_id, project, scope, safety_status, type, who, pinned,
   importance, embedding_model, source_type, tags);
CREATE INDEX memories_chunks ON memories (agent_id) WHERE type = 'document_chunk' AND is_deleted = 0;
CREATE INDEX memories_start ON memories (project, ROUND(importance, 2), created_at, agent_id, visibility)
  WHERE is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL
    AND type <> 'document_chunk';
CREATE INDEX memories_pinned ON memories (project, created_at, agent_id, visibility)
  WHERE pinned = 1 AND is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL
    AND type <> 'document_chunk';
CREATE INDEX memories_overview ON memories (project, type, created_at, agent_id, visibility)
  WHERE is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL
    AND type <> 'document_chunk';
CREATE INDEX memories_review ON memories (review_after, id) WHERE review_after IS NOT NULL;
CREATE UNIQUE INDEX memories_hash ON memories (content_hash, hash_space) WHERE is_deleted = 0;
CREATE INDEX memories_outdated ON memories (safety_policy) WHERE safety_policy <> '2';
CREATE INDEX memories_of_agents ON memories (agent_id, visibility) WHERE agent_id <> 'default';
CREATE INDEX memories_archived ON memories (is_deleted, type, agent_id) WHERE visibility = 'archived';
CREATE INDEX memories_shared ON memories (agent_id, visibility) WHERE further_holders > 0;

-- Further holders: agents and projects that saved a text which was there already. The first holder is
-- in the row of the memory. Columns by which memories are chosen are repeated here; a trigger keeps
-- them equal.
CREATE TABLE memory_holders (
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL,
  project TEXT,
  scope TEXT,
  visibility TEXT NOT NULL,
  held_at TEXT NOT NULL,
  type TEXT NOT NULL,
  importance REAL NOT NULL,
  pinned INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  tellable INTEGER NOT NULL
);
CREATE UNIQUE INDEX memory_holders_memory ON memory_holders
  (memory_id, agent_id, (COALESCE(project, '')), (COALESCE(scope, '')));
CREATE INDEX memory_holders_start ON memory_holders
  (project, ROUND(importance, 2), created_at, agent_id, visibility, memory_id) WHERE tellable = 1 AND scope IS NULL;
CREATE INDEX memory_holders_pinned ON memory_holders (project, created_at, agent_id, visibility, memory_id)
  WHERE pinned = 1 AND tellable = 1 AND scope IS NULL;
CREATE INDEX memory_holders_overview ON memory_holders (project, type, created_at, agent_id, visibility, memory_id)
  WHERE tellable = 1 AND scope IS NULL;
CREATE INDEX memory_holders_agent ON memory_holders (agent_id);
CREATE TRIGGER memory_holders_follow
  AFTER UPDATE OF type, importance, pinned, created_at, is_deleted, safety_status, superseded_by ON memories
  WHEN NEW.further_holders > 0
BEGIN
  UPDATE memory_holders SET type = NEW.type, importance = NEW.importance, pinned = NEW.pinned,
    created_at = NEW.created_at,
    tellable = NEW.is_deleted = 0 AND NEW.safety_status = 'clean' AND NEW.superseded_by IS NULL
  WHERE memory_id = NEW.id;
END;

-- An id is a UUID as 16 bytes, or a text if another program chose it. Readers ask for whole days.
CREATE TABLE memory_history (
  id BLOB NOT NULL,
  memory_id BLOB NOT NULL,
  event TEXT NOT NULL,
  old_content TEXT,
  new_content TEXT,
  changed_by TEXT NOT NULL,
  actor_type TEXT NOT NULL,
  reason TEXT NOT NULL,
  metadata TEXT,
  session_id TEXT,
  request_id BLOB,
  created_at TEXT NOT NULL,
  change INTEGER NOT NULL
);
CREATE INDEX memory_history_memory ON memory_history (memory_id, change);
CREATE INDEX memory_history_day ON memory_history (CAST(replace(substr(created_at, 1, 10), '-', '') AS INTEGER));

CREATE TABLE memory_vectors (
  memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  vector BLOB NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX memory_vectors_model ON memory_vectors (provider, model, memory_id);

-- Vectors that cannot be indexed.
CREATE TABLE vector_quarantine (
  memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
  vector_created_at TEXT NOT NULL,
  reason TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  noted_at TEXT NOT NULL
);

CREATE TABLE memory_hints (
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  hint TEXT NOT NULL,
  PRIMARY KEY (memory_id, position)
);

-- How often each memory was recalled. The log has one row for all recalls of a second, which is added
-- here later. A count in memories would make each recall rewrite a page for every memory it gives.
CREATE TABLE memory_accesses (
  memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
  count INTEGER NOT NULL,
  last_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE memory_access_log (
  at TEXT NOT NULL,
  counts TEXT NOT NULL
);

-- Memories that were forgotten long ago, one record each.
CREATE TABLE cold_memories (
  id TEXT NOT NULL,
  deleted_at TEXT NOT NULL,
  stored_at TEXT NOT NULL,
  record TEXT NOT NULL,
  agent_id TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (id, deleted_at)
);
CREATE INDEX cold_memories_agent ON cold_memories (agent_id);
`
