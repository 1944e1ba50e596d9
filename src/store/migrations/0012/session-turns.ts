/** Uses of tools in sessions, one row a turn (docs/sessions.md#tool-use). */
export const sessionTurns = `
CREATE TABLE session_turns (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  turn INTEGER NOT NULL,
  project TEXT,
  at TEXT NOT NULL,
  asked TEXT NOT NULL,
  work TEXT NOT NULL,
  tests TEXT,
  PRIMARY KEY (agent_id, session_key, turn)
) WITHOUT ROWID;
CREATE INDEX session_turns_tests ON session_turns (agent_id, project, at) WHERE tests IS NOT NULL;
CREATE INDEX session_turns_age ON session_turns (at);

CREATE TABLE session_files (
  path TEXT NOT NULL,
  at TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  turn INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  PRIMARY KEY (path, at, agent_id, session_key, turn)
) WITHOUT ROWID;
CREATE INDEX session_files_session ON session_files (agent_id, session_key);
CREATE INDEX session_files_age ON session_files (at);
`
