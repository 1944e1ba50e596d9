/**
 * Changes whenever a text may get another verdict; rows with another version are scanned again (rules.md 1.6). The index
 * of such memories names it: a new version takes a migration like `outdated verdicts`.
 */
export const policyVersion = '2'
