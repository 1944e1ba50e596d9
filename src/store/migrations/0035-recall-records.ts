/**
 * Recalls that were recorded, for whoever switched that on: what was asked, and what was given. A text that was given goes
 * with what it is of, whichever way that goes: when a memory is forgotten or archived, when a passage leaves its source.
 */
export const recallRecords = `
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
