/**
 * Nearly all memories are of the agent `default`, told to everybody and held once: what is counted and removed by agent
 * is found by indexes of the others, and of those that are archived or shared.
 */
export const countsByFew = `
DROP INDEX memories_counted;
CREATE INDEX memories_of_agents ON memories (agent_id, visibility) WHERE agent_id <> 'default';
CREATE INDEX memories_archived ON memories (is_deleted, type, agent_id) WHERE visibility = 'archived';
CREATE INDEX memories_shared ON memories (agent_id, visibility) WHERE further_holders > 0;
`
