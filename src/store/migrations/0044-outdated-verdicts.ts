/**
 * Few rows at any time are judged by another version of the content safety policy than the present one: the index holds
 * these alone. A new version of the policy brings a migration with an index of its own.
 */
export const outdatedVerdicts = `
DROP INDEX memories_policy;
CREATE INDEX memories_outdated ON memories (safety_policy) WHERE safety_policy <> '2';
`
