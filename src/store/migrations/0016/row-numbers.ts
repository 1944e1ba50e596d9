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
