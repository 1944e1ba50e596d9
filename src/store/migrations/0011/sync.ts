/** The memories of several machines as this workspace knows them (sync.md). Empty while sync is off. */
export const sync = `
CREATE TABLE sync_state (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- All that the devices told of a memory, as JSON.
CREATE TABLE sync_memories (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  text_key TEXT NOT NULL,
  first_key TEXT NOT NULL,
  replaced_by TEXT,
  known TEXT NOT NULL
);
CREATE INDEX sync_memories_hash ON sync_memories (hash);
CREATE INDEX sync_memories_text ON sync_memories (text_key);
CREATE INDEX sync_memories_first ON sync_memories (first_key);
CREATE INDEX sync_memories_replaced ON sync_memories (replaced_by) WHERE replaced_by IS NOT NULL;

-- Moments at which a text was forgotten, recovered or purged, by its keyed hash.
CREATE TABLE sync_texts (
  key TEXT PRIMARY KEY,
  forgotten TEXT,
  recovered TEXT,
  purged TEXT
) WITHOUT ROWID;

-- An empty clock: the purge was not told yet.
CREATE TABLE sync_purged (
  id TEXT PRIMARY KEY,
  clock TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX sync_purged_untold ON sync_purged (id) WHERE clock = '';

CREATE TABLE sync_agents (
  name TEXT PRIMARY KEY,
  clock TEXT NOT NULL,
  policy TEXT
) WITHOUT ROWID;

-- Changes that are in no segment yet.
CREATE TABLE sync_outbox (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  record TEXT NOT NULL
);

-- Segments that were read, and own ones; bytes until the store has them.
CREATE TABLE sync_segments (
  hash TEXT PRIMARY KEY,
  device TEXT NOT NULL,
  number INTEGER NOT NULL,
  bytes BLOB
);
CREATE INDEX sync_segments_place ON sync_segments (device, number);
CREATE INDEX sync_segments_unsent ON sync_segments (device, number) WHERE bytes IS NOT NULL;
`
