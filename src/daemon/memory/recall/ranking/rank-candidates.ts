import type { IdStep, RankContext, Step } from './evidence.js'
import { type Ranking, runSteps } from './run-steps.js'
import { steps } from './steps.js'

/**
 * Ranks the hits of the index without any content: the steps that see ids. The ranking may hold neighbours that no
 * filter has seen: authorise every id before its content is loaded (recall.md 1.3.6).
 *
 * @param table only a test replaces it
 */
export function rankCandidates(
  input: Omit<RankContext, 'own'>,
  table: readonly Step<RankContext>[] = steps.filter((step): step is IdStep => step.sees === 'ids'),
): Ranking {
  return runSteps(table, { ...input, own: new Map() })
}
