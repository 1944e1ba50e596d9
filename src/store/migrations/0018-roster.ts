/**
 * The roster of agents: who is being removed, whose group is read, and the ways from an agent to everything that is
 * its own, so that a removal reads no table through.
 */
export const roster = `
ALTER TABLE agents ADD COLUMN removal TEXT;
CREATE INDEX agents_group ON agents (policy_group) WHERE policy_group IS NOT NULL;
CREATE INDEX memory_holders_agent ON memory_holders (agent_id);
CREATE INDEX agent_messages_sender ON agent_messages (from_agent_id);
CREATE INDEX agent_message_acks_agent ON agent_message_acks (agent_id);
CREATE INDEX entities_agent ON entities (agent_id);
ALTER TABLE cold_memories ADD COLUMN agent_id TEXT NOT NULL DEFAULT '';
UPDATE cold_memories SET agent_id = json_extract(record, '$.agent_id');
CREATE INDEX cold_memories_agent ON cold_memories (agent_id);
`
