/**
 * The passes of Dreaming with what they did and what they cost, when an attention is looked at again, and memories by
 * the time at which they are to be reviewed.
 */
export const dreaming = `
CREATE TABLE dream_passes (
  id TEXT PRIMARY KEY,
  job_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  reader TEXT NOT NULL,
  outcome TEXT NOT NULL,
  outcome_code TEXT,
  counts TEXT NOT NULL,
  calls INTEGER NOT NULL,
  tokens_input INTEGER NOT NULL,
  tokens_output INTEGER NOT NULL,
  cost REAL,
  started_at TEXT NOT NULL,
  ended_at TEXT
);
CREATE INDEX dream_passes_started ON dream_passes (started_at, id);
CREATE INDEX dream_passes_open ON dream_passes (id) WHERE ended_at IS NULL;

ALTER TABLE attentions ADD COLUMN run_after TEXT NOT NULL DEFAULT '';

CREATE INDEX ontology_operations_merges ON ontology_operations (agent_id, payload)
  WHERE operation = 'merge_entities';

CREATE INDEX memories_review ON memories (review_after, id) WHERE review_after IS NOT NULL;
`
