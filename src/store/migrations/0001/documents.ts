/** Documents, their texts until they are processed, their chunks, and the connectors that bring them. */
export const documents = `
-- The removal of an agent repeats the condition of documents_agent and so uses that index. Reads of
-- single documents filter by agent too, but do not repeat it.
CREATE TABLE documents (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  project TEXT,
  title TEXT,
  source_type TEXT NOT NULL,
  source_url TEXT,
  content_type TEXT,
  connector_id TEXT,
  metadata TEXT,
  status TEXT NOT NULL,
  error TEXT,
  chunk_count INTEGER NOT NULL DEFAULT 0,
  content_hash TEXT,
  timings TEXT NOT NULL DEFAULT '{}',
  generation INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 1,
  created_by TEXT NOT NULL,
  who TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  completed_at TEXT
);
CREATE INDEX documents_recent ON documents (created_at, id, agent_id, project, who) WHERE status <> 'deleted';
CREATE INDEX documents_status ON documents (status, created_at, id, agent_id, project, who);
CREATE INDEX documents_agent ON documents (agent_id, status) WHERE agent_id <> '';
CREATE UNIQUE INDEX documents_address ON documents (source_url, agent_id, (COALESCE(project, '')))
  WHERE source_url IS NOT NULL AND status <> 'deleted';
CREATE INDEX documents_connector ON documents (connector_id, status, chunk_count, id)
  WHERE connector_id IS NOT NULL;

-- A text is stored in parts, so that one of megabytes is not written or read in one turn.
CREATE TABLE document_texts (
  document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (document_id, part)
);

CREATE TABLE document_chunks (
  document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  generation INTEGER NOT NULL,
  chunk_index INTEGER NOT NULL,
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  heading TEXT,
  page TEXT,
  PRIMARY KEY (document_id, generation, chunk_index)
);
CREATE INDEX document_chunks_memory ON document_chunks (memory_id, document_id);

CREATE TABLE connectors (
  id TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  display_name TEXT NOT NULL,
  status TEXT NOT NULL,
  config_json TEXT NOT NULL,
  cursor_json TEXT NOT NULL,
  last_sync_at TEXT,
  last_error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

-- The files that a connector has taken, as they were then.
CREATE TABLE connector_files (
  connector_id TEXT NOT NULL REFERENCES connectors (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ms REAL NOT NULL,
  inode TEXT NOT NULL,
  taken_ms REAL NOT NULL,
  document_id TEXT NOT NULL,
  PRIMARY KEY (connector_id, path)
);

CREATE TABLE connector_results (
  connector_id TEXT PRIMARY KEY REFERENCES connectors (id) ON DELETE CASCADE,
  result_json TEXT NOT NULL
);
`
