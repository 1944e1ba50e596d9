/**
 * The tables of a file of segments (docs/architecture.md#the-index): what stands side by side is read together. A
 * posting list lies among those of its segment, by its term; `holding` and `data` say how many rows hold the term, and
 * which.
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
CREATE TABLE postings (
  segment INTEGER NOT NULL,
  term TEXT NOT NULL,
  holding INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (segment, term)
) WITHOUT ROWID;
`
