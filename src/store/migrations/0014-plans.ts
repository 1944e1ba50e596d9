/**
 * Lists by tag and by kind of source are chosen in an index, as all others are: behind a content of megabytes a row's
 * columns are far away. What a capture wrote half is looked for at every look of its worker.
 */
export const plans = `
DROP INDEX memories_recent;
CREATE INDEX memories_recent ON memories
  (is_deleted, created_at, id, further_holders, visibility, agent_id, project, scope, safety_status, type, who, pinned,
   importance, embedding_model, source_type, tags);
CREATE INDEX transcript_captures_written ON transcript_captures (status) WHERE record_size IS NOT NULL;
`
