import { CandidateRows } from './candidate-rows.js'
import { EvidenceTable } from './evidence-table.js'
import { type Ranking, runSteps } from './run-steps.js'
import type { IdStep, RankContext, Step } from './step.js'
import { steps } from './steps.js'

const idSteps = steps.filter((step): step is IdStep => step.sees === 'ids')

/** The steps for rows of which the index tells no facts: others would give them nothing. */
export const stepsWithoutFacts = idSteps.filter(({ needsFacts }) => !needsFacts)

/** A ranking by ids, and the rows that it knows. */
export interface CandidateRanking extends Ranking {
  rows: CandidateRows
}

/**
 * Ranks the hits of the index without any content: the steps that see ids. The ranking may hold neighbours that no
 * filter has seen: authorise every id before its content is loaded (recall.md 1.3.6).
 *
 * @param table all steps that see ids, unless it is known that some give nothing
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
