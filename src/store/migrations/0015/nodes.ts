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
