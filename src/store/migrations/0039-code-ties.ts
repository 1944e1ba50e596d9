/** What memories say about the code of projects, and whether it is still as it was when that was first seen. */
export const codeTies = `
ALTER TABLE code_projects ADD COLUMN tied_change INTEGER NOT NULL DEFAULT 0;
CREATE TABLE code_ties (
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  root TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  path TEXT,
  line INTEGER,
  hash TEXT,
  state TEXT NOT NULL,
  moved_at TEXT,
  PRIMARY KEY (memory_id, root, kind, target)
);
CREATE INDEX code_ties_root ON code_ties (root, memory_id, kind, target);
CREATE INDEX code_ties_moved ON code_ties (moved_at, memory_id) WHERE state <> 'here';
`
