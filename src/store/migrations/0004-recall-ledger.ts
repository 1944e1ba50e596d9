/** What each session was shown in which context epoch, and how it rated it. */
export const recallLedger = `
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
`
