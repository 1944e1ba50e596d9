import type { RecallBody } from '../../../../contract/memory/memory.js'
import { isEnabled } from '../../../ground/inference/uses.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { RememberDeps } from '../../remember/remember.js'
import { currentnessOf } from '../ranking/currentness.js'
import type { StepReport } from '../ranking/run-steps.js'
import { countModelRecall, type ModelDeps } from '../search/admit-model.js'
import type { WholeRow } from '../search/candidates.js'
import { optional } from '../search/optional-steps.js'
import { summarize } from './extract-summary.js'
import { summarizeByModel } from './model-summary.js'
import { type Summary, saveSummary } from './saved-summary.js'

/** The summary of a recall (`aggregate` in the API), and the id of the memory it was saved as. */
export interface RecallSummary extends Summary {
  savedAs: string | undefined
}

/**
 * Sums up the rows that are valid now: by a model where the settings ask for it, else by their own sentences. Saves the
 * summary when the caller wants that.
 */
export async function makeSummary(
  deps: RememberDeps & ModelDeps,
  { caller, body, report }: { caller: Caller; body: RecallBody; report: StepReport },
  rows: readonly WholeRow[],
): Promise<RecallSummary | undefined> {
  const now = deps.clock().toISOString()
  const budget = body.aggregateBudget ?? 'small'
  const valid = rows.filter(({ row }) => ['current', 'upcoming'].includes(currentnessOf(row, now)))
  const byModel = isEnabled(deps.configuration().settings, 'recall_summary')
    ? await optional(deps, report, 'aggregate_model', () =>
        summarizeByModel(deps, { caller, body }, valid, budget),
      )
    : undefined
  const composed =
    byModel ?? (await optional(deps, report, 'aggregate', () => summarize(body.query, valid, budget)))
  if (!composed) return undefined
  const summary = { ...composed, budget, byModel: byModel !== undefined }
  const savedAs = body.saveAggregate
    ? await optional(deps, report, 'save_aggregate', () => saveSummary(deps, caller, body, summary))
    : undefined
  return { ...summary, savedAs }
}

/**
 * Counts a recall whose caller asks for a summary by a model, before anything is done for it.
 * @throws AppError `rate_limited`
 */
export function admitSummary(deps: ModelDeps, caller: Caller, { aggregate }: RecallBody): void {
  if (aggregate && isEnabled(deps.configuration().settings, 'recall_summary')) countModelRecall(deps, caller)
}
