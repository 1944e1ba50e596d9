/** What prompts are enriched with: known entities with their current attributes, and messages between agents. */
export const peers = `
CREATE TABLE entities (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  name TEXT NOT NULL,
  entity_type TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE TABLE entity_names (
  agent_id TEXT NOT NULL,
  name_key TEXT NOT NULL,
  entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  active INTEGER NOT NULL,
  PRIMARY KEY (agent_id, name_key, entity_id)
) WITHOUT ROWID;
CREATE INDEX entity_names_entity ON entity_names (entity_id);

CREATE TABLE entity_attributes (
  id TEXT PRIMARY KEY,
  entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  aspect TEXT NOT NULL,
  content TEXT NOT NULL,
  score REAL NOT NULL,
  status TEXT NOT NULL,
  project TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX entity_attributes_entity ON entity_attributes (entity_id, status);

CREATE TABLE agent_messages (
  id TEXT PRIMARY KEY,
  from_agent_id TEXT NOT NULL,
  from_session_key TEXT,
  to_agent_id TEXT,
  to_session_key TEXT,
  broadcast INTEGER NOT NULL,
  type TEXT NOT NULL,
  content TEXT NOT NULL,
  project TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
);
CREATE INDEX agent_messages_target ON agent_messages (to_agent_id, created_at) WHERE to_agent_id IS NOT NULL;
CREATE INDEX agent_messages_session ON agent_messages (to_session_key, created_at) WHERE to_session_key IS NOT NULL;
CREATE INDEX agent_messages_broadcast ON agent_messages (created_at) WHERE broadcast = 1;
CREATE INDEX agent_messages_age ON agent_messages (expires_at);

CREATE TABLE agent_message_acks (
  message_id TEXT NOT NULL REFERENCES agent_messages (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL,
  acknowledged_at TEXT NOT NULL,
  PRIMARY KEY (message_id, agent_id)
) WITHOUT ROWID;
`
