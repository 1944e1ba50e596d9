/** Which rules of the content safety policy decided; rows of an older policy are judged again anyway. */
export const safetyRules = `
ALTER TABLE memories ADD COLUMN safety_rules TEXT NOT NULL DEFAULT '';
`
