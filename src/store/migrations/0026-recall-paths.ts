/** Names of slots lead a recall to their claims, and claims to what they hold now. */
export const recallPaths = `
CREATE INDEX claims_key ON claims (agent_id, claim_key, entity_id);
CREATE INDEX claims_aspect ON claims (agent_id, aspect_key, entity_id);
CREATE INDEX claims_group ON claims (agent_id, group_key, entity_id) WHERE group_key <> 'general';
CREATE INDEX claim_versions_held ON claim_versions (claim_id) WHERE status = 'current';
`
