import type { IdStep, RankContext, Step } from './evidence.js'
import { type Ranking, runSteps } from './run-steps.js'
import { steps } from './steps.js'

const idSteps = steps.filter((step): step is IdStep => step.sees === 'ids')

/** The steps for rows of which the index tells no facts: others would give them nothing. */
export const stepsWithoutFacts = idSteps.filter(({ needsFacts }) => !needsFacts)

/**
 * Ranks the hits of the index without any content: the steps that see ids. The ranking may hold neighbours that no
 * filter has seen: authorise every id before its content is loaded (recall.md 1.3.6).
 *
 * @param table all steps that see ids, unless it is known that some give nothing
 */
export function rankCandidates(
  input: Omit<RankContext, 'own'>,
  table: readonly Step<RankContext>[] = idSteps,
): Ranking {
  return runSteps(table, { ...input, own: new Map() })
}
