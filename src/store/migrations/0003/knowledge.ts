/** Decisions, merges and splits of entities, each with what undoes it (docs/knowledge.md). */
export const knowledge = `
CREATE TABLE ontology_changes (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  batch TEXT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  details TEXT NOT NULL,
  at TEXT NOT NULL,
  by TEXT NOT NULL,
  undone_at TEXT
);
CREATE INDEX ontology_changes_agent ON ontology_changes (agent_id, at, id);
CREATE INDEX ontology_changes_batch ON ontology_changes (batch);
`
