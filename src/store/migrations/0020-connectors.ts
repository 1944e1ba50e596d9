/**
 * Connectors, the files that each has taken in, as they were then, and what their last sync came to. Documents of a
 * connector are counted by an index alone.
 */
export const connectors = `
CREATE TABLE connectors (
  id TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  display_name TEXT NOT NULL,
  status TEXT NOT NULL,
  config_json TEXT NOT NULL,
  cursor_json TEXT NOT NULL,
  last_sync_at TEXT,
  last_error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE TABLE connector_files (
  connector_id TEXT NOT NULL REFERENCES connectors (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ms REAL NOT NULL,
  inode TEXT NOT NULL,
  taken_ms REAL NOT NULL,
  document_id TEXT NOT NULL,
  PRIMARY KEY (connector_id, path)
);

CREATE TABLE connector_results (
  connector_id TEXT PRIMARY KEY REFERENCES connectors (id) ON DELETE CASCADE,
  result_json TEXT NOT NULL
);

DROP INDEX documents_connector;
CREATE INDEX documents_connector ON documents (connector_id, status, chunk_count, id)
  WHERE connector_id IS NOT NULL;
`
