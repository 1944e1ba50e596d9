/**
 * Sessions of harnesses: who holds which runtime path, what was captured, and what each was shown and wrote; and the
 * memories that a session may start with, by project, importance and time.
 */
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
  PRIMARY KEY (agent_id, session_key)
) WITHOUT ROWID;
CREATE INDEX sessions_claims ON sessions (expires_at) WHERE runtime_path IS NOT NULL;
CREATE INDEX sessions_recent ON sessions (agent_id, seen_at);
CREATE INDEX sessions_key ON sessions (session_key, seen_at);
CREATE INDEX sessions_open ON sessions (seen_at) WHERE ended_at IS NULL;
CREATE INDEX sessions_bypassed ON sessions (seen_at) WHERE bypassed = 1;

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

CREATE INDEX memories_start ON memories (project, ROUND(importance, 2), created_at, agent_id, visibility)
  WHERE is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL;
CREATE INDEX memories_pinned ON memories (project, created_at, agent_id, visibility)
  WHERE pinned = 1 AND is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL;
`
