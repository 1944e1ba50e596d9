/** Messages that go to agents of other servers: where to, how far each came, and what was answered. */
export const messageRelays = `
CREATE TABLE agent_message_relays (
  message_id TEXT PRIMARY KEY REFERENCES agent_messages (id) ON DELETE CASCADE,
  base_url TEXT NOT NULL,
  target_agent_name TEXT NOT NULL,
  timeout_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  receipt_json TEXT,
  error TEXT,
  updated_at TEXT NOT NULL
);
CREATE INDEX agent_message_relays_open ON agent_message_relays (state) WHERE state IN ('pending', 'in_flight');
DROP INDEX agent_messages_sender;
CREATE INDEX agent_messages_sender ON agent_messages (from_agent_id, created_at);
`
