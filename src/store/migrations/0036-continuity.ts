/** How much of what a session was shown it used, one row a session. */
export const continuity = `
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
`
