/**
 * Who else holds a memory: its first holder stays in its own row, so that one that was saved once costs nothing more.
 * The indexes of lists tell which rows have further holders, that of holders carry what memories are chosen by.
 */
export const holders = `
ALTER TABLE memories ADD COLUMN further_holders INTEGER NOT NULL DEFAULT 0;

CREATE TABLE memory_holders (
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL,
  project TEXT,
  scope TEXT,
  visibility TEXT NOT NULL,
  held_at TEXT NOT NULL,
  type TEXT NOT NULL,
  importance REAL NOT NULL,
  pinned INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  tellable INTEGER NOT NULL
);
CREATE UNIQUE INDEX memory_holders_memory ON memory_holders
  (memory_id, agent_id, (COALESCE(project, '')), (COALESCE(scope, '')));
CREATE INDEX memory_holders_start ON memory_holders
  (project, ROUND(importance, 2), created_at, agent_id, visibility, memory_id) WHERE tellable = 1 AND scope IS NULL;
CREATE INDEX memory_holders_pinned ON memory_holders (project, created_at, agent_id, visibility, memory_id)
  WHERE pinned = 1 AND tellable = 1 AND scope IS NULL;
CREATE INDEX memory_holders_overview ON memory_holders (project, type, created_at, agent_id, visibility, memory_id)
  WHERE tellable = 1 AND scope IS NULL;

CREATE TRIGGER memory_holders_follow
  AFTER UPDATE OF type, importance, pinned, created_at, is_deleted, safety_status, superseded_by ON memories
  WHEN NEW.further_holders > 0
BEGIN
  UPDATE memory_holders SET type = NEW.type, importance = NEW.importance, pinned = NEW.pinned,
    created_at = NEW.created_at,
    tellable = NEW.is_deleted = 0 AND NEW.safety_status = 'clean' AND NEW.superseded_by IS NULL
  WHERE memory_id = NEW.id;
END;

DROP INDEX memories_recent;
CREATE INDEX memories_recent ON memories
  (is_deleted, created_at, id, further_holders, visibility, agent_id, project, scope, safety_status, type, who, pinned,
   importance, embedding_model);
DROP INDEX memories_who;
CREATE INDEX memories_who ON memories
  (is_deleted, who, visibility, agent_id, scope, safety_status, further_holders, id);
DROP INDEX memories_counted;
CREATE INDEX memories_counted ON memories
  (is_deleted, visibility, agent_id, pinned, embedding_model, further_holders, id);
`
