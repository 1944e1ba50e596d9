/** API keys: the hash of each, never the key. */
export const apiKeys = `
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
  revoked_at TEXT
);
CREATE INDEX api_keys_prefix ON api_keys (prefix);
`
