/** Conversations: their messages, the chunks that are searched, and the receipts of their capture. */
export const transcripts = `
-- A transcript shows the first messages messages of its body. Later ones are still being written, or
-- no longer count.
CREATE TABLE transcripts (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  harness TEXT NOT NULL,
  project TEXT,
  body_id TEXT NOT NULL,
  capture_id TEXT NOT NULL,
  messages INTEGER NOT NULL,
  characters INTEGER NOT NULL,
  captured_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  safety_status TEXT NOT NULL,
  safety_reasons TEXT NOT NULL,
  safety_policy TEXT NOT NULL,
  safety_scanned_at TEXT NOT NULL,
  PRIMARY KEY (agent_id, session_key)
) WITHOUT ROWID;
CREATE UNIQUE INDEX transcripts_body ON transcripts (body_id);
CREATE INDEX transcripts_policy ON transcripts (safety_policy);
CREATE INDEX transcripts_captured ON transcripts (agent_id, captured_at);

CREATE TABLE transcript_messages (
  body_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  role TEXT NOT NULL,
  at TEXT,
  text TEXT NOT NULL,
  escaped INTEGER NOT NULL,
  fingerprint TEXT NOT NULL
);
CREATE UNIQUE INDEX transcript_messages_place ON transcript_messages (body_id, position);

CREATE TABLE transcript_chunks (
  body_id TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  first_position INTEGER NOT NULL,
  first_offset INTEGER NOT NULL,
  last_position INTEGER NOT NULL,
  last_end INTEGER NOT NULL,
  safety_status TEXT NOT NULL,
  removed INTEGER NOT NULL,
  change INTEGER NOT NULL,
  PRIMARY KEY (body_id, chunk)
) WITHOUT ROWID;
CREATE UNIQUE INDEX transcript_chunks_change ON transcript_chunks (change);

CREATE TABLE transcript_captures (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  harness TEXT NOT NULL,
  project TEXT,
  source TEXT NOT NULL,
  path TEXT NOT NULL,
  status TEXT NOT NULL,
  error TEXT,
  body_id TEXT,
  stale_body_id TEXT,
  record_size INTEGER,
  captured_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  completed_at TEXT
);
CREATE INDEX transcript_captures_session ON transcript_captures (agent_id, session_key, created_at);
CREATE INDEX transcript_captures_open ON transcript_captures (status) WHERE status IN ('queued', 'running');
CREATE INDEX transcript_captures_stale ON transcript_captures (id) WHERE stale_body_id IS NOT NULL;
CREATE INDEX transcript_captures_written ON transcript_captures (status) WHERE record_size IS NOT NULL;
`
