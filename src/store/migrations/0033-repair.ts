/**
 * Repairs: what was done when, by which their limits count across restarts; how far those came that take several calls;
 * and vectors that no index can hold.
 */
export const repair = `
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

CREATE TABLE vector_quarantine (
  memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
  vector_created_at TEXT NOT NULL,
  reason TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  noted_at TEXT NOT NULL
);
`
