/**
 * Ids of history and hashes of contents as bytes instead of text, an index less on history, and a narrower one: it is
 * asked for by days. An id of an event is looked for in the history of its memory alone.
 */
export const packedIds = `
DROP INDEX memories_hash;
UPDATE memories SET content_hash = unhex(content_hash)
  WHERE length(content_hash) = 64 AND content_hash NOT GLOB '*[^0-9a-f]*';
CREATE UNIQUE INDEX memories_hash ON memories (content_hash, hash_space) WHERE is_deleted = 0;

ALTER TABLE memory_history RENAME TO text_history;
CREATE TABLE memory_history (
  id BLOB NOT NULL,
  memory_id BLOB NOT NULL,
  event TEXT NOT NULL,
  old_content TEXT,
  new_content TEXT,
  changed_by TEXT NOT NULL,
  actor_type TEXT NOT NULL,
  reason TEXT NOT NULL,
  metadata TEXT,
  session_id TEXT,
  request_id BLOB,
  created_at TEXT NOT NULL,
  change INTEGER NOT NULL
);
INSERT INTO memory_history (rowid, id, memory_id, event, old_content, new_content, changed_by, actor_type, reason,
    metadata, session_id, request_id, created_at, change)
  SELECT rowid, ${packedUuid('id')}, ${packedUuid('memory_id')}, event, old_content, new_content, changed_by,
    actor_type, reason, metadata, session_id, ${packedUuid('request_id')}, created_at, change
  FROM text_history ORDER BY rowid;
DROP TABLE text_history;
CREATE INDEX memory_history_memory ON memory_history (memory_id, change);
CREATE INDEX memory_history_day ON memory_history (CAST(replace(substr(created_at, 1, 10), '-', '') AS INTEGER));
`

/** A UUID of small letters as its bytes; another text, and null, stay. */
function packedUuid(column: string): string {
  const digits = '[0-9a-f]'
  const form = [8, 4, 4, 4, 12].map(length => digits.repeat(length)).join('-')
  return `CASE WHEN ${column} GLOB '${form}' THEN unhex(${column}, '-') ELSE ${column} END`
}
