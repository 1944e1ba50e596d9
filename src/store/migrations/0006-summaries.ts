/** Forgetting a memory looks for the summaries that were made from it: few rows among many. */
export const summaries = `
CREATE INDEX memories_summaries ON memories (source_type) WHERE source_type = 'recall-aggregate';
`
