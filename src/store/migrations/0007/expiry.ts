/** When a memory expires (rules.md 1.4.1). */
export const expiry = `
ALTER TABLE memories ADD COLUMN expires_at TEXT;
CREATE INDEX memories_expiring ON memories (expires_at) WHERE expires_at IS NOT NULL;
`
