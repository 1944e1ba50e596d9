/**
 * Tables of a segment file, except postings (docs/search-index.md#transcripts-are-stored-in-segments). Each
 * segment has its own postings table, so that its pages contain no other segment's words and are freed by
 * dropping the table.
 */
export const segmentSchema = `
CREATE TABLE about (version TEXT NOT NULL);
CREATE TABLE owners (number INTEGER PRIMARY KEY, fields TEXT NOT NULL UNIQUE);
CREATE TABLE segments (
  segment INTEGER PRIMARY KEY,
  size INTEGER NOT NULL,
  live INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  length INTEGER NOT NULL,
  change INTEGER NOT NULL,
  lengths BLOB NOT NULL,
  owners BLOB NOT NULL
);
CREATE TABLE entries (
  id TEXT PRIMARY KEY,
  segment INTEGER NOT NULL,
  place INTEGER NOT NULL,
  change INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX entries_place ON entries (segment, place);
`

/**
 * A postings table, ordered by term; `holding` is the number of rows that contain the term, `data` lists
 * them.
 */
export const postingsSchema = (name: string): string => `
CREATE TABLE ${name} (
  term TEXT PRIMARY KEY,
  holding INTEGER NOT NULL,
  data BLOB NOT NULL
) WITHOUT ROWID;
`
