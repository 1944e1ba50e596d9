/**
 * The temporal graph: sessions, compactions and what sums them up, with the memories each is linked to; and the
 * memories that MEMORY.md is made from, by project, type and time.
 */
export const temporal = `
CREATE TABLE temporal_nodes (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  depth INTEGER NOT NULL,
  source_type TEXT NOT NULL,
  source_ref TEXT NOT NULL,
  session_key TEXT,
  harness TEXT,
  project TEXT,
  content TEXT NOT NULL,
  meta TEXT NOT NULL,
  safety_status TEXT NOT NULL,
  safety_policy TEXT NOT NULL,
  starts_at TEXT NOT NULL,
  ends_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (agent_id, source_type, source_ref)
);
CREATE INDEX temporal_nodes_recent ON temporal_nodes (agent_id, ends_at);
CREATE INDEX temporal_nodes_project ON temporal_nodes (agent_id, project, ends_at);
CREATE INDEX temporal_nodes_policy ON temporal_nodes (safety_policy);
CREATE INDEX temporal_nodes_session ON temporal_nodes (agent_id, session_key);

CREATE TABLE temporal_edges (
  parent_id TEXT NOT NULL REFERENCES temporal_nodes (id) ON DELETE CASCADE,
  child_id TEXT NOT NULL REFERENCES temporal_nodes (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  PRIMARY KEY (parent_id, child_id)
) WITHOUT ROWID;
CREATE INDEX temporal_edges_child ON temporal_edges (child_id);

CREATE TABLE temporal_memories (
  node_id TEXT NOT NULL REFERENCES temporal_nodes (id) ON DELETE CASCADE,
  memory_id TEXT NOT NULL,
  PRIMARY KEY (node_id, memory_id)
) WITHOUT ROWID;

CREATE TABLE compactions (
  node_id TEXT PRIMARY KEY REFERENCES temporal_nodes (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  summary_hash TEXT NOT NULL,
  path TEXT NOT NULL UNIQUE,
  captured_at TEXT NOT NULL,
  document TEXT,
  context_epoch INTEGER
);
CREATE UNIQUE INDEX compactions_session ON compactions (agent_id, session_key, captured_at);
CREATE INDEX compactions_open ON compactions (captured_at) WHERE document IS NOT NULL;

CREATE INDEX memories_overview ON memories (project, type, created_at, agent_id, visibility)
  WHERE is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL;
`
