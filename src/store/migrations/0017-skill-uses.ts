/** Uses of skills. Counts and latencies of a window are answered by an index alone, latencies in their order. */
export const skillUses = `
CREATE TABLE skill_uses (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  skill TEXT NOT NULL,
  success INTEGER NOT NULL,
  latency_ms REAL,
  source TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX skill_uses_counts ON skill_uses (agent_id, skill, at, success, latency_ms);
CREATE INDEX skill_uses_latency ON skill_uses (agent_id, latency_ms, at) WHERE latency_ms IS NOT NULL;
CREATE INDEX skill_uses_at ON skill_uses (at);
`
