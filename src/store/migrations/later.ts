import { countingOfVectors } from './0010/vector-counts.js'

/** Projects, their keys and places, the branch of a memory (docs/projects.md), and short ids of memories. */
export const projects = `
CREATE TABLE projects (
  key TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  used_at TEXT NOT NULL
);

-- Each key that rows of a project may have, its own included. A key belongs to one project.
CREATE TABLE project_keys (
  key TEXT PRIMARY KEY,
  project TEXT NOT NULL
);
CREATE INDEX project_keys_project ON project_keys (project, key);

-- Folders on this machine. A fixed place belongs to its project whatever its repository says.
CREATE TABLE project_places (
  path TEXT PRIMARY KEY,
  project TEXT NOT NULL,
  fixed INTEGER NOT NULL DEFAULT 0,
  seen_at TEXT NOT NULL
);
CREATE INDEX project_places_project ON project_places (project, path);

-- Joins, splits, moves and renames, each with what undoes it.
CREATE TABLE project_changes (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  project TEXT NOT NULL,
  details TEXT NOT NULL,
  at TEXT NOT NULL,
  by TEXT NOT NULL,
  undone_at TEXT
);
CREATE INDEX project_changes_project ON project_changes (project, at);

ALTER TABLE memories ADD COLUMN branch TEXT;
ALTER TABLE memories ADD COLUMN commit_id TEXT;
CREATE INDEX memories_commit ON memories (project, branch, commit_id, created_at)
  WHERE commit_id IS NOT NULL AND is_deleted = 0;

-- Texts show the end of an id, and readers name a memory by six or more characters of it.
CREATE INDEX memories_id_end ON memories (substr(id, -6));
`

/** Decisions, merges and splits of entities, each with what undoes it (docs/knowledge.md). */
export const knowledge = `
CREATE TABLE ontology_changes (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  batch TEXT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  details TEXT NOT NULL,
  at TEXT NOT NULL,
  by TEXT NOT NULL,
  undone_at TEXT
);
CREATE INDEX ontology_changes_agent ON ontology_changes (agent_id, at, id);
CREATE INDEX ontology_changes_batch ON ontology_changes (batch);
`

/** Counts of what imports left out, and the folder of a log that does not name it (docs/imports.md). */
export const imports = `
ALTER TABLE transcript_imports ADD COLUMN left_out TEXT NOT NULL DEFAULT '{}';
ALTER TABLE transcript_import_files ADD COLUMN folder TEXT;
`

/** The guessed charset of a document (docs/documents.md#what-can-be-read). */
export const charsets = 'ALTER TABLE documents ADD COLUMN guessed_charset TEXT;'

/** White space that the content of a memory lacks (rules.md 1.1.6). */
export const layout = 'ALTER TABLE memories ADD COLUMN layout TEXT;'

/** When a memory expires (rules.md 1.4.1). */
export const expiry = `
ALTER TABLE memories ADD COLUMN expires_at TEXT;
CREATE INDEX memories_expiring ON memories (expires_at) WHERE expires_at IS NOT NULL;
`

/** The agent of a task over the Agent Client Protocol, and its permissions (tasks.md#any-agent-over-acp). */
export const taskAgents = `
ALTER TABLE scheduled_tasks ADD COLUMN acp_command TEXT;
ALTER TABLE scheduled_tasks ADD COLUMN acp_permissions TEXT;
`

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

/**
 * One index for session starts and overviews instead of two: a save writes one page less of each. Sorted by
 * type and importance first, both find the newest of each, and an overview merges them.
 */
export const saveIndexes = `
CREATE INDEX memories_told ON memories (project, type, ROUND(importance, 2), created_at, agent_id, visibility)
  WHERE is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL
    AND type <> 'document_chunk';
DROP INDEX memories_start;
DROP INDEX memories_overview;

CREATE INDEX memory_holders_told ON memory_holders
  (project, type, ROUND(importance, 2), created_at, agent_id, visibility, memory_id) WHERE tellable = 1 AND scope IS NULL;
DROP INDEX memory_holders_start;
DROP INDEX memory_holders_overview;

-- SQLite takes the newest index among equal plans.
DROP INDEX memories_pinned;
CREATE INDEX memories_pinned ON memories (project, created_at, agent_id, visibility)
  WHERE pinned = 1 AND is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL
    AND type <> 'document_chunk';
DROP INDEX memory_holders_pinned;
CREATE INDEX memory_holders_pinned ON memory_holders (project, created_at, agent_id, visibility, memory_id)
  WHERE pinned = 1 AND tellable = 1 AND scope IS NULL;
`

/** Since when a daemon ends; null while it serves. */
export const stoppingNodes = 'ALTER TABLE nodes ADD COLUMN stopping_since TEXT;'

/**
 * Two b-trees less for each save. A vector has the row number of its memory, so that it needs no index of
 * ids. Events are in the order of their changes, so that a sweep can walk them without an index of days.
 */
export const saveTrees = `
DROP INDEX memory_history_day;

CREATE TABLE placed_vectors (
  rowid INTEGER PRIMARY KEY,
  memory_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  vector BLOB NOT NULL,
  created_at TEXT NOT NULL
);
INSERT INTO placed_vectors (rowid, memory_id, provider, model, dimensions, vector, created_at)
  SELECT m.rowid, v.memory_id, v.provider, v.model, v.dimensions, v.vector, v.created_at
  FROM memory_vectors v JOIN memories m ON m.id = v.memory_id ORDER BY m.rowid;
DROP TABLE memory_vectors;
ALTER TABLE placed_vectors RENAME TO memory_vectors;
DELETE FROM meta WHERE key LIKE 'vectors %';
UPDATE repair_operations SET status = 'failed', error = 'an update changed the order of vectors; start it again'
  WHERE status = 'running' AND action IN ('resyncVectorIndex', 'reembedModelMigration', 'cleanOrphanedEmbeddings');

CREATE TRIGGER memory_vectors_follow AFTER DELETE ON memories
BEGIN
  DELETE FROM memory_vectors WHERE rowid = OLD.rowid;
END;
${countingOfVectors}`

/** The daemons that share a database, and which of them does what. Empty while one serves alone. */
export const nodes = `
CREATE TABLE nodes (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  url TEXT NOT NULL,
  started_at TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  applied INTEGER NOT NULL
) WITHOUT ROWID;

-- Periodic works, each with the node that does it.
CREATE TABLE node_duties (
  name TEXT PRIMARY KEY,
  node TEXT NOT NULL,
  taken_at TEXT NOT NULL
) WITHOUT ROWID;

-- The node that may do a job, and the one that does it; null with one daemon.
ALTER TABLE jobs ADD COLUMN node TEXT;
ALTER TABLE jobs ADD COLUMN leased_by TEXT;
`

/**
 * Two b-trees less for each save. Ends of ids are at random places, so the index of ids is walked for them. A
 * memory gets the number of its creation as its row number; an index has those that changed since, and all
 * rows of earlier releases. Numbers of changes go on after the last row.
 */
export const rowNumbers = `
DROP INDEX memories_id_end;

DROP INDEX memories_change;
CREATE INDEX memories_changed ON memories (change) WHERE change <> rowid;
UPDATE meta SET value = (SELECT CAST(max(rowid) AS TEXT) FROM memories)
  WHERE key = 'change' AND CAST(value AS NUMERIC) < (SELECT max(rowid) FROM memories);
`
