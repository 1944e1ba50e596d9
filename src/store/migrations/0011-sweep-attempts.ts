/** How often the sweep has tried to end a session in vain since it was last seen. */
export const sweepAttempts = `
ALTER TABLE sessions ADD COLUMN sweep_attempts INTEGER NOT NULL DEFAULT 0;
`
