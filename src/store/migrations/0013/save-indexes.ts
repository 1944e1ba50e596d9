/**
 * One index for session starts and overviews instead of two: a save writes one page less of each. Sorted by
 * type and importance first, both find the newest of each, and an overview merges them.
 */
export const saveIndexes = `
CREATE INDEX memories_told ON memories (project, type, ROUND(importance, 2), created_at, agent_id, visibility)
  WHERE is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL
    AND type <> 'document_chunk';
DROP INDEX memories_start;
DROP INDEX memories_overview;

CREATE INDEX memory_holders_told ON memory_holders
  (project, type, ROUND(importance, 2), created_at, agent_id, visibility, memory_id) WHERE tellable = 1 AND scope IS NULL;
DROP INDEX memory_holders_start;
DROP INDEX memory_holders_overview;

-- SQLite takes the newest index among equal plans.
DROP INDEX memories_pinned;
CREATE INDEX memories_pinned ON memories (project, created_at, agent_id, visibility)
  WHERE pinned = 1 AND is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND scope IS NULL
    AND type <> 'document_chunk';
DROP INDEX memory_holders_pinned;
CREATE INDEX memory_holders_pinned ON memory_holders (project, created_at, agent_id, visibility, memory_id)
  WHERE pinned = 1 AND tellable = 1 AND scope IS NULL;
`
