import type { ContentContext, ContentStep, Ranked, Step } from './evidence.js'
import { type Ranking, runSteps } from './run-steps.js'
import { steps } from './steps.js'

/**
 * Refines a ranking by what its rows say and what is known of them, after they were authorised and loaded: the steps
 * that see content (recall.md 1.3.6 and 1.3.9). Rows without an entry in `contents` are left out of the result.
 *
 * @param table only a test replaces it
 */
export function refineWithContent(
  ranked: readonly Ranked[],
  input: Omit<ContentContext, 'own'>,
  table: readonly Step<ContentContext>[] = steps.filter(
    (step): step is ContentStep => step.sees === 'content',
  ),
): Ranking {
  const given = new Map<string, Ranked['contributions']>()
  const own = new Map<string, number>()
  for (const row of ranked) {
    // Only the best rows are loaded: after the last loaded one the rest can be skipped.
    if (given.size === input.contents.size) break
    if (!input.contents.has(row.id)) continue
    given.set(row.id, row.contributions)
    own.set(row.id, row.own)
  }
  return runSteps(table, { ...input, own }, given)
}
