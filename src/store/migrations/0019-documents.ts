/**
 * Documents, their texts until they are processed, and which memories their chunks are. Sessions, overviews and counts
 * leave chunks out, so that the indexes by which these choose do too: a document brings hundreds of rows. The condition of
 * `documents_agent` keeps it to those who repeat it, the removal of an agent: reads of single documents filter by agent too.
 */
export const documents = `
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
CREATE INDEX documents_connector ON documents (connector_id, status) WHERE connector_id IS NOT NULL;
CREATE UNIQUE INDEX documents_address ON documents (source_url, agent_id, (COALESCE(project, '')))
  WHERE source_url IS NOT NULL AND status <> 'deleted';

CREATE TABLE document_texts (
  document_id TEXT PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
  text TEXT NOT NULL
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

CREATE INDEX memories_chunks ON memories (agent_id) WHERE type = 'document_chunk' AND is_deleted = 0;

DROP INDEX memories_start;
CREATE INDEX memories_start ON memories (project, ROUND(importance, 2), created_at, agent_id, visibility)
  WHERE is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL
    AND type <> 'document_chunk';
DROP INDEX memories_pinned;
CREATE INDEX memories_pinned ON memories (project, created_at, agent_id, visibility)
  WHERE pinned = 1 AND is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL
    AND type <> 'document_chunk';
DROP INDEX memories_overview;
CREATE INDEX memories_overview ON memories (project, type, created_at, agent_id, visibility)
  WHERE is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL
    AND type <> 'document_chunk';
DROP INDEX memories_counted;
CREATE INDEX memories_counted ON memories
  (is_deleted, visibility, agent_id, type, pinned, embedding_model, further_holders, id);
`
