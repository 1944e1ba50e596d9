/** When an API key was last presented. */
export const keyUse = `
ALTER TABLE api_keys ADD COLUMN last_used_at TEXT;
`
