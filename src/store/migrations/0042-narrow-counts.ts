/** Without the id, which only memories of several holders are asked for: the index is less than half as large. */
export const narrowCounts = `
DROP INDEX memories_counted;
CREATE INDEX memories_counted ON memories
  (is_deleted, visibility, agent_id, type, pinned, embedding_model, further_holders);
`
