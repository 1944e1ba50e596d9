/**
 * Must change whenever a text may get another verdict; rows with another version are scanned again (rules.md
 * 1.6). The index `memories_outdated` names it, so a new version needs a migration that replaces this index.
 */
export const policyVersion = '2'
