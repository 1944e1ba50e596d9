import { hideLimitValue } from './dialect.js'

/**
 * Tables of a project's code index (`src/store/tables/knowledge`). The index is a file of its own inside the
 * project and can be rebuilt at any time, so it is never migrated.
 */
export const codeSchema = `
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  language TEXT,
  parser TEXT,
  hash TEXT,
  size INTEGER NOT NULL,
  mtime_ms INTEGER NOT NULL,
  lines INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL,
  reason TEXT,
  message TEXT
);
CREATE INDEX files_status ON files (status, path);
CREATE TABLE symbols (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  parent INTEGER,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  qualified_name TEXT NOT NULL,
  signature TEXT NOT NULL,
  doc TEXT,
  value TEXT,
  exported INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL
);
CREATE INDEX symbols_file ON symbols (file, start_line);
CREATE INDEX symbols_name ON symbols (name);
CREATE INDEX symbols_folded ON symbols (name_folded);
CREATE INDEX symbols_qualified ON symbols (qualified_name);
CREATE INDEX symbols_parent ON symbols (parent) WHERE parent IS NOT NULL;
CREATE INDEX symbols_valued ON symbols (kind, name) WHERE value IS NOT NULL;
CREATE TABLE imports (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  specifier TEXT NOT NULL,
  name TEXT NOT NULL,
  local TEXT NOT NULL,
  exported INTEGER NOT NULL,
  line INTEGER NOT NULL,
  target TEXT
);
CREATE INDEX imports_file ON imports (file);
CREATE INDEX imports_target ON imports (target, name) WHERE target IS NOT NULL;
CREATE TABLE edges (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  source INTEGER,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  qualifier TEXT,
  receiver TEXT,
  line INTEGER NOT NULL,
  count INTEGER NOT NULL,
  target INTEGER,
  target_file INTEGER,
  confidence TEXT NOT NULL,
  candidates TEXT
);
CREATE INDEX edges_file ON edges (file);
CREATE INDEX edges_source ON edges (source) WHERE source IS NOT NULL;
CREATE INDEX edges_target ON edges (target) WHERE target IS NOT NULL;
CREATE INDEX edges_name ON edges (name);
CREATE TABLE unbound (file INTEGER PRIMARY KEY, named INTEGER NOT NULL, uses BLOB NOT NULL);
CREATE TABLE unbound_names (name INTEGER NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (name, file)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
  name, signature, doc, path, content = '', contentless_delete = 1, tokenize = 'unicode61'
);
`

/** Full-text row of a symbol, under the symbol's number. */
export const addWords = 'INSERT INTO words (rowid, name, signature, doc, path) VALUES (?, ?, ?, ?, ?)'
export const dropWords = 'DELETE FROM words WHERE rowid = ?'

/** Finds and ranks symbols with FTS5: best first, lower scores are better. */
export const symbolsByWords = hideLimitValue(
  'SELECT rowid AS id, bm25(words, 8.0, 2.0, 2.0, 1.0) AS score FROM words WHERE words MATCH ? ORDER BY score LIMIT ?',
)
