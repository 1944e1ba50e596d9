/** Entities, the claims about them with the quotes that support each claim, and the passes of Dreaming. */
export const ontology = `
CREATE TABLE entities (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  entity_type TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  mentions INTEGER NOT NULL,
  merged_into TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE UNIQUE INDEX entities_name ON entities (agent_id, name_key) WHERE merged_into IS NULL;
CREATE INDEX entities_recent ON entities (agent_id, updated_at, id) WHERE merged_into IS NULL;
CREATE INDEX entities_agent ON entities (agent_id);
CREATE INDEX entities_merged ON entities (merged_into) WHERE merged_into IS NOT NULL;

CREATE TABLE entity_names (
  agent_id TEXT NOT NULL,
  name_key TEXT NOT NULL,
  entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  active INTEGER NOT NULL,
  PRIMARY KEY (agent_id, name_key, entity_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX entity_names_active ON entity_names (agent_id, name_key) WHERE active = 1;
CREATE INDEX entity_names_entity ON entity_names (entity_id);

CREATE TABLE claims (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  aspect TEXT NOT NULL,
  aspect_key TEXT NOT NULL,
  group_name TEXT NOT NULL,
  group_key TEXT NOT NULL,
  claim TEXT NOT NULL,
  claim_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX claims_slot ON claims (entity_id, aspect_key, group_key, claim_key);
CREATE INDEX claims_key ON claims (agent_id, claim_key, entity_id);
CREATE INDEX claims_aspect ON claims (agent_id, aspect_key, entity_id);
CREATE INDEX claims_group ON claims (agent_id, group_key, entity_id) WHERE group_key <> 'general';

-- The entity of the claim is repeated here, so that one index finds the current values of an entity.
CREATE TABLE claim_versions (
  id TEXT PRIMARY KEY,
  claim_id TEXT NOT NULL REFERENCES claims (id) ON DELETE CASCADE,
  entity_id TEXT NOT NULL,
  value TEXT NOT NULL,
  value_hash TEXT NOT NULL,
  confidence REAL NOT NULL,
  status TEXT NOT NULL,
  valid_from TEXT,
  valid_until TEXT,
  recorded_at TEXT NOT NULL,
  expired_at TEXT,
  replaced_by TEXT,
  project TEXT,
  session_key TEXT
);
CREATE INDEX claim_versions_claim ON claim_versions (claim_id, recorded_at, id);
CREATE INDEX claim_versions_current ON claim_versions (entity_id, confidence, id) WHERE status = 'current';
CREATE INDEX claim_versions_held ON claim_versions (claim_id) WHERE status = 'current';

CREATE TABLE claim_premises (
  version_id TEXT NOT NULL REFERENCES claim_versions (id) ON DELETE CASCADE,
  premise_id TEXT NOT NULL REFERENCES claim_versions (id) ON DELETE CASCADE,
  PRIMARY KEY (version_id, premise_id)
) WITHOUT ROWID;
CREATE INDEX claim_premises_premise ON claim_premises (premise_id);

CREATE TABLE entity_links (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  from_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  relation TEXT NOT NULL,
  relation_key TEXT NOT NULL,
  to_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  confidence REAL NOT NULL,
  valid_from TEXT,
  valid_until TEXT,
  recorded_at TEXT NOT NULL,
  expired_at TEXT
);
CREATE UNIQUE INDEX entity_links_triple ON entity_links (from_id, relation_key, to_id) WHERE status = 'current';
CREATE INDEX entity_links_from ON entity_links (from_id, status);
CREATE INDEX entity_links_to ON entity_links (to_id, status);

CREATE TABLE entity_mentions (
  entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  PRIMARY KEY (entity_id, memory_id)
) WITHOUT ROWID;
CREATE INDEX entity_mentions_memory ON entity_mentions (memory_id);

CREATE TABLE ontology_operations (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  project TEXT,
  operation TEXT NOT NULL,
  payload TEXT NOT NULL,
  reason TEXT NOT NULL,
  confidence REAL NOT NULL,
  mode TEXT NOT NULL,
  status TEXT NOT NULL,
  result_id TEXT,
  blocked_reason TEXT,
  proposal_id TEXT,
  changed_by TEXT NOT NULL,
  actor_type TEXT NOT NULL,
  session_key TEXT,
  request_id TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX ontology_operations_agent ON ontology_operations (agent_id, created_at, id);
CREATE INDEX ontology_operations_merges ON ontology_operations (agent_id, payload)
  WHERE operation = 'merge_entities';

CREATE TABLE ontology_proposals (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  operation_id TEXT NOT NULL REFERENCES ontology_operations (id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  blocked_reason TEXT,
  contradiction_risk INTEGER NOT NULL,
  version_id TEXT,
  created_at TEXT NOT NULL,
  decided_at TEXT,
  decided_by TEXT,
  decided_reason TEXT,
  applied_operation_id TEXT
);
CREATE INDEX ontology_proposals_status ON ontology_proposals (agent_id, status, id);
CREATE INDEX ontology_proposals_operation ON ontology_proposals (operation_id);

-- artifact_source is the source of the quoted artifact. It lets quotes be counted without artifacts.
CREATE TABLE evidence_spans (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  operation_id TEXT NOT NULL REFERENCES ontology_operations (id) ON DELETE CASCADE,
  subject_id TEXT,
  source_kind TEXT NOT NULL,
  source_id TEXT NOT NULL,
  quote TEXT NOT NULL,
  span_start INTEGER,
  span_end INTEGER,
  source_hash TEXT,
  artifact_source TEXT
);
CREATE INDEX evidence_spans_subject ON evidence_spans (subject_id, source_kind, source_id, span_start)
  WHERE subject_id IS NOT NULL;
CREATE INDEX evidence_spans_operation ON evidence_spans (operation_id);
CREATE INDEX evidence_spans_source ON evidence_spans (source_kind, source_id, agent_id);
CREATE INDEX evidence_spans_artifact_source ON evidence_spans (artifact_source, subject_id)
  WHERE artifact_source IS NOT NULL AND subject_id IS NOT NULL;

-- Subjects that wait for a pass of Dreaming.
CREATE TABLE attentions (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  subject_kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  detail TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  run_after TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX attentions_open ON attentions (agent_id, subject_kind, subject, kind) WHERE state = 'waiting';
CREATE INDEX attentions_waiting ON attentions (created_at, id) WHERE state = 'waiting';
CREATE INDEX attentions_agent ON attentions (agent_id, id);

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
  ended_at TEXT,
  cost_coverage TEXT
);
CREATE INDEX dream_passes_started ON dream_passes (started_at, id);
CREATE INDEX dream_passes_open ON dream_passes (id) WHERE ended_at IS NULL;
`
