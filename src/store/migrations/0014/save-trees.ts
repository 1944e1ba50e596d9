import { countingOfVectors } from '../0010/vector-counts.js'

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
