/**
 * How often memories are recalled: what was counted lately in one row for all memories of a second, and before that a
 * narrow row for each memory. In the rows of memories themselves, a few to a page, every recall rewrote a page for each
 * memory that it gave.
 */
export const accesses = `
CREATE TABLE memory_accesses (
  memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
  count INTEGER NOT NULL,
  last_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE memory_access_log (
  at TEXT NOT NULL,
  counts TEXT NOT NULL
);
`
