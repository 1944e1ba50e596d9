/** White space that the content of a memory lacks (rules.md 1.1.6). */
export const layout = 'ALTER TABLE memories ADD COLUMN layout TEXT;'
