/**
 * The tables of a file of segments, except those of postings
 * (docs/search-index.md#transcripts-are-stored-in-segments). Each segment has its own table of postings, so that
 * its pages contain the words of no other segment and can be emptied by dropping that table.
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

/** A table of postings, in the order of their terms; `holding` and `data` say how many rows hold the term, and which. */
export const postingsSchema = (name: string): string => `
CREATE TABLE ${name} (
  term TEXT PRIMARY KEY,
  holding INTEGER NOT NULL,
  data BLOB NOT NULL
) WITHOUT ROWID;
`
