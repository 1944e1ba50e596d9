/** Indexes that answer lists, filters and counts without reading the rows, which may be megabytes each. */
export const reading = `
DROP INDEX memories_recent;
CREATE INDEX memories_recent ON memories
  (is_deleted, created_at, id, visibility, agent_id, scope, safety_status, type, who, project, pinned, importance,
   embedding_model);
CREATE INDEX memories_who ON memories (is_deleted, who, visibility, agent_id, scope, safety_status);
CREATE INDEX memories_counted ON memories (is_deleted, visibility, agent_id, pinned, embedding_model);
CREATE INDEX memory_vectors_model ON memory_vectors (provider, model, memory_id);
`
