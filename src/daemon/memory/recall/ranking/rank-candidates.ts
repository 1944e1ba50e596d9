import { CandidateRows } from './candidate-rows.js'
import { EvidenceTable } from './evidence-table.js'
import { type Ranking, runSteps } from './run-steps.js'
import type { IdStep, RankContext, Step } from './step.js'
import { steps } from './steps.js'

const idSteps = steps.filter((step): step is IdStep => step.sees === 'ids')

/** Steps for rows without facts in the index; the other steps would give them nothing. */
export const stepsWithoutFacts = idSteps.filter(({ needsFacts }) => !needsFacts)

/** A ranking by ids with its candidate rows. */
export interface CandidateRanking extends Ranking {
  rows: CandidateRows
}

/**
 * Ranks hits of the index without content, with the steps that see ids. The ranking may contain neighbours
 * that no filter has checked: authorise every id before loading its content (recall.md 1.3.6).
 *
 * @param table steps to run; all that see ids by default
 */
export function rankCandidates(
  input: Omit<RankContext, 'rows'>,
  table: readonly Step<RankContext>[] = idSteps,
): CandidateRanking {
  const { query, hits, graph, now } = input
  const led = graph ? graph.claims.size + graph.traversal.size : 0
  const rows = new CandidateRows(hits, hits.rows + led)
  const { ranked, timings, failures } = runSteps(
    table,
    { query, hits, graph, now, rows },
    new EvidenceTable(rows),
  )
  return { ranked, timings, failures, rows }
}
