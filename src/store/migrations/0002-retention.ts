/** Cold storage, and the indexes by which retention, the job queue and safety scans find their rows. */
export const retention = `
CREATE TABLE cold_memories (
  id TEXT NOT NULL,
  deleted_at TEXT NOT NULL,
  stored_at TEXT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (id, deleted_at)
);
CREATE INDEX memories_deleted ON memories (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX memories_policy ON memories (safety_policy);
CREATE INDEX memory_history_age ON memory_history (created_at);

DROP INDEX jobs_next;
CREATE INDEX jobs_oldest ON jobs (kind, status, created_at, id);
CREATE INDEX jobs_memory ON jobs (memory_id, kind);
CREATE INDEX jobs_age ON jobs (status, updated_at);
`
