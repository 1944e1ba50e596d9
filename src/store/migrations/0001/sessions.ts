/** Sessions of coding agents: their events, the memories they were shown, and the summaries made of them. */
export const sessions = `
CREATE TABLE sessions (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  harness TEXT NOT NULL,
  project TEXT,
  cwd TEXT,
  runtime_path TEXT,
  claimed_at TEXT,
  expires_at TEXT,
  bypassed INTEGER NOT NULL DEFAULT 0,
  parent_key TEXT,
  harness_agent_id TEXT,
  transcript_path TEXT,
  started_at TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  ended_at TEXT,
  end_reason TEXT,
  end_counted INTEGER NOT NULL DEFAULT 0,
  prompts INTEGER NOT NULL DEFAULT 0,
  checkpoint_cursor INTEGER NOT NULL DEFAULT 0,
  compaction_path TEXT,
  captured_at TEXT,
  sweep_attempts INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (agent_id, session_key)
) WITHOUT ROWID;
CREATE INDEX sessions_claims ON sessions (expires_at) WHERE runtime_path IS NOT NULL;
CREATE INDEX sessions_recent ON sessions (agent_id, seen_at);
CREATE INDEX sessions_key ON sessions (session_key, seen_at);
CREATE INDEX sessions_open ON sessions (seen_at) WHERE ended_at IS NULL;
CREATE INDEX sessions_bypassed ON sessions (seen_at) WHERE bypassed = 1;
CREATE INDEX sessions_project ON sessions (project) WHERE project IS NOT NULL;
CREATE INDEX sessions_cwd ON sessions (cwd) WHERE cwd IS NOT NULL;

CREATE TABLE session_logs (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  project TEXT,
  events INTEGER NOT NULL,
  recall_events INTEGER NOT NULL,
  artifact_events INTEGER NOT NULL,
  last_at TEXT NOT NULL,
  PRIMARY KEY (agent_id, session_key)
) WITHOUT ROWID;
CREATE INDEX session_logs_recent ON session_logs (agent_id, last_at);
CREATE INDEX session_logs_age ON session_logs (last_at);

CREATE TABLE session_events (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  at TEXT NOT NULL,
  title TEXT NOT NULL,
  detail TEXT NOT NULL,
  refs TEXT NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (agent_id, session_key, position),
  FOREIGN KEY (agent_id, session_key) REFERENCES session_logs (agent_id, session_key) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX session_events_age ON session_events (at);

-- The memories that a session was shown, with the context epoch and its rating of each.
CREATE TABLE recall_sessions (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  used_at TEXT NOT NULL,
  PRIMARY KEY (agent_id, session_key)
) WITHOUT ROWID;
CREATE INDEX recall_sessions_age ON recall_sessions (used_at);

CREATE TABLE recalled_memories (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  rating REAL,
  PRIMARY KEY (agent_id, session_key, memory_id),
  FOREIGN KEY (agent_id, session_key) REFERENCES recall_sessions (agent_id, session_key) ON DELETE CASCADE
) WITHOUT ROWID;

-- How much of what a session was shown it used.
CREATE TABLE continuity_scores (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  project TEXT,
  harness TEXT NOT NULL,
  score REAL NOT NULL,
  memories_recalled INTEGER NOT NULL,
  memories_used INTEGER NOT NULL,
  novel_context_count INTEGER NOT NULL,
  reasoning TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX continuity_scores_session ON continuity_scores (agent_id, session_key);
CREATE INDEX continuity_scores_age ON continuity_scores (created_at, id);
CREATE INDEX continuity_scores_project ON continuity_scores (project, created_at, id);
CREATE INDEX continuity_scores_agent ON continuity_scores (agent_id, created_at, id);
CREATE INDEX continuity_scores_agent_project ON continuity_scores (agent_id, project, created_at, id);

-- Sessions, compactions and the summaries of both, with the memories that each is linked to.
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
`
