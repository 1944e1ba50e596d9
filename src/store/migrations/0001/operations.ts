/** The queue of jobs, API keys, repairs, events and recorded recalls. */
export const operations = `
-- Single values; change is the number of the last change of a memory.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO meta (key, value) VALUES ('change', '0');

CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  leased_at TEXT,
  run_after TEXT NOT NULL,
  last_error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  completed_at TEXT,
  payload TEXT NOT NULL DEFAULT '{}'
);
CREATE UNIQUE INDEX jobs_open ON jobs (kind, subject) WHERE status IN ('pending', 'leased');
CREATE INDEX jobs_oldest ON jobs (kind, status, created_at, id);
CREATE INDEX jobs_age ON jobs (status, updated_at);
CREATE INDEX jobs_subject ON jobs (subject, kind);

-- The hash of each key. The key itself is not stored.
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  connector TEXT,
  agent_id TEXT,
  project TEXT,
  user TEXT,
  permissions TEXT,
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT,
  last_used_at TEXT
);
CREATE INDEX api_keys_prefix ON api_keys (prefix);

-- Calls of language models by day: the limits of a day hold across restarts.
CREATE TABLE inference_usage (
  day TEXT NOT NULL,
  purpose TEXT NOT NULL,
  calls INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  counted_tokens INTEGER NOT NULL,
  cost REAL NOT NULL,
  unpriced_calls INTEGER NOT NULL,
  PRIMARY KEY (day, purpose)
) WITHOUT ROWID;

-- Calls of repairs, counted across restarts.
CREATE TABLE repair_runs (
  id TEXT PRIMARY KEY,
  action TEXT NOT NULL,
  agent_id TEXT,
  actor TEXT NOT NULL,
  outcome TEXT NOT NULL,
  affected INTEGER NOT NULL,
  message TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT
);
CREATE INDEX repair_runs_action ON repair_runs (action, started_at, id);
CREATE INDEX repair_runs_open ON repair_runs (id) WHERE ended_at IS NULL;

-- Repairs that take several calls, and how far each came.
CREATE TABLE repair_operations (
  id TEXT PRIMARY KEY,
  action TEXT NOT NULL,
  scope TEXT NOT NULL,
  status TEXT NOT NULL,
  profile TEXT,
  place TEXT NOT NULL,
  counts TEXT NOT NULL,
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE UNIQUE INDEX repair_operations_running ON repair_operations (action, scope) WHERE status = 'running';
CREATE INDEX repair_operations_age ON repair_operations (updated_at);

-- Events are numbered because clocks may go back. The number shows which were counted and sent.
CREATE TABLE telemetry_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event TEXT NOT NULL,
  at TEXT NOT NULL,
  properties TEXT NOT NULL
);
CREATE INDEX telemetry_events_at ON telemetry_events (at, id);
CREATE INDEX telemetry_events_event ON telemetry_events (event, at, id);

CREATE TABLE telemetry_counts (
  span TEXT NOT NULL,
  period TEXT NOT NULL,
  counter TEXT NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (span, period, counter)
) WITHOUT ROWID;

-- Recalls, where recording is switched on.
CREATE TABLE recall_records (
  id TEXT PRIMARY KEY,
  created_at TEXT NOT NULL,
  route TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  session_key TEXT,
  scope_project TEXT,
  scope_user TEXT,
  query TEXT NOT NULL,
  request TEXT NOT NULL,
  withheld TEXT NOT NULL,
  whole INTEGER NOT NULL,
  result_count INTEGER NOT NULL,
  top_score REAL,
  duration_ms REAL NOT NULL
);
CREATE INDEX recall_records_age ON recall_records (created_at, id);
CREATE INDEX recall_records_agent ON recall_records (agent_id, created_at, id);
CREATE INDEX recall_records_session ON recall_records (session_key, created_at, id);
CREATE INDEX recall_records_route ON recall_records (route, created_at, id);

-- A recorded text is removed when its memory is forgotten or archived, or its passage is removed.
CREATE TABLE recall_record_results (
  record_id TEXT NOT NULL REFERENCES recall_records (id) ON DELETE CASCADE,
  rank INTEGER NOT NULL,
  row_id TEXT NOT NULL,
  score REAL NOT NULL,
  source TEXT NOT NULL,
  content TEXT,
  PRIMARY KEY (record_id, rank)
);
CREATE INDEX recall_record_results_row ON recall_record_results (row_id);
CREATE TRIGGER recall_records_forgotten
  AFTER UPDATE OF is_deleted, visibility ON memories
  WHEN NEW.is_deleted = 1 OR NEW.visibility = 'archived'
BEGIN
  UPDATE recall_record_results SET content = NULL WHERE row_id = NEW.id;
END;
CREATE TRIGGER recall_records_deleted AFTER DELETE ON memories
BEGIN
  UPDATE recall_record_results SET content = NULL WHERE row_id = OLD.id;
END;
CREATE TRIGGER recall_records_passage_removed
  AFTER UPDATE OF removed ON source_chunks
  WHEN NEW.removed = 1
BEGIN
  UPDATE recall_record_results SET content = NULL WHERE row_id = NEW.artifact_id || '#' || NEW.chunk;
END;
CREATE TRIGGER recall_records_passage_deleted AFTER DELETE ON source_chunks
BEGIN
  UPDATE recall_record_results SET content = NULL WHERE row_id = OLD.artifact_id || '#' || OLD.chunk;
END;
`
