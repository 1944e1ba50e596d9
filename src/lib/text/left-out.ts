import { labelOf } from './labels.js'

/**
 * Lists the number of omitted entries per reason: `3 below the cut-off`. Reasons with a count of 0 are
 * skipped.
 */
export function leftOutWords(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count} ${labelOf('leftOut', reason)}`)
}
