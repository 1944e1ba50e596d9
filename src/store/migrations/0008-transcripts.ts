/** Cleaned conversations, message by message, and the receipts of their capture. */
export const transcripts = `
CREATE TABLE transcripts (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  harness TEXT NOT NULL,
  project TEXT,
  messages INTEGER NOT NULL,
  characters INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  captured_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  safety_status TEXT NOT NULL,
  safety_reasons TEXT NOT NULL,
  safety_policy TEXT NOT NULL,
  safety_scanned_at TEXT NOT NULL,
  change INTEGER NOT NULL,
  PRIMARY KEY (agent_id, session_key)
) WITHOUT ROWID;
CREATE INDEX transcripts_change ON transcripts (change);

CREATE TABLE transcript_messages (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  position INTEGER NOT NULL,
  role TEXT NOT NULL,
  at TEXT,
  text TEXT NOT NULL,
  PRIMARY KEY (agent_id, session_key, position),
  FOREIGN KEY (agent_id, session_key) REFERENCES transcripts (agent_id, session_key) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE transcript_captures (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  harness TEXT NOT NULL,
  project TEXT,
  source TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  error TEXT,
  captured_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  completed_at TEXT
);
CREATE INDEX transcript_captures_open ON transcript_captures (status, created_at);
`
