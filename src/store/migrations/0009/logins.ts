/** Logins by OAuth: clients, consents and tokens, each with the hash of its text only. */
export const logins = `
CREATE TABLE oauth_records (
  kind TEXT NOT NULL,
  hash TEXT NOT NULL,
  grant_hash TEXT,
  payload TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (kind, hash)
);
CREATE INDEX oauth_records_grant ON oauth_records (grant_hash) WHERE grant_hash IS NOT NULL;
CREATE INDEX oauth_records_expiring ON oauth_records (expires_at);
`
