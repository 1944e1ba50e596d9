import type { RecallBody, RecallReply, RecallRow } from '../../../contract/memory/memory.js'
import { isEnabled } from '../../ground/inference/uses.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { RememberDeps } from '../remember/remember.js'
import type { ModelDeps } from './admit-model.js'
import type { Found } from './find-candidates.js'
import { summarizeByModel } from './model-summary.js'
import { optional } from './optional-steps.js'
import { currentnessOf } from './ranking/currentness.js'
import type { StepReport } from './ranking/run-steps.js'
import type { RowView } from './recall-row.js'
import { type MadeSummary, saveSummary, summaryKey, summarySource } from './recall-summary-saved.js'
import { summarize } from './recall-summary-text.js'

/** The summary of a recall (`aggregate` in the API), and the id of the memory it was saved as. */
export interface RecallSummary extends MadeSummary {
  savedAs: string | undefined
}

/** A summary of what still holds, in the words of a model where the settings ask for it; saved when that is asked for. */
export async function makeSummary(
  deps: RememberDeps & ModelDeps,
  { caller, body, report }: { caller: Caller; body: RecallBody; report: StepReport },
  found: readonly Found[],
): Promise<RecallSummary | undefined> {
  const now = deps.clock().toISOString()
  const budget = body.aggregateBudget ?? 'small'
  const holding = found.filter(({ row }) => ['current', 'upcoming'].includes(currentnessOf(row, now)))
  const modelled = isEnabled(deps.configuration().settings, 'recall_summary')
    ? await optional(deps, report, 'aggregate_model', () =>
        summarizeByModel(deps, { caller, body }, holding, budget),
      )
    : undefined
  const composed =
    modelled ?? (await optional(deps, report, 'aggregate', () => summarize(body.query, holding, budget)))
  if (!composed) return undefined
  const made = { ...composed, budget, byModel: modelled !== undefined }
  const savedAs = body.saveAggregate
    ? await optional(deps, report, 'save_aggregate', () => saveSummary(deps, caller, body, made))
    : undefined
  return { ...made, savedAs }
}

/** The summary as a row of the reply; its id is no memory's until it is saved. */
export function summaryRow(body: RecallBody, summary: RecallSummary, view: RowView): RecallRow {
  const key = summaryKey(body.query, summary)
  return {
    id: summary.savedAs ?? `aggregate:${key}`,
    content: summary.text,
    type: 'semantic',
    tags: '',
    who: null,
    project: body.project ?? null,
    scope: body.scope ?? null,
    importance: 0,
    pinned: 0,
    score: Math.max(...summary.sources.map(({ score }) => score)),
    source: 'aggregate',
    created_at: view.now,
    session_id: null,
    source_type: summarySource,
    source_id: key,
    source_path: null,
    superseded_by: null,
    currentness: 'current',
    supplementary: true,
  }
}

/** The summary as `meta` tells of it. */
export function describeSummary(summary: RecallSummary): RecallReply['meta']['aggregate'] {
  const { budget, text, sources, savedAs, byModel } = summary
  const memories = sources.map(({ id }) => id)
  return {
    budget,
    characters: text.length,
    memories,
    ...(byModel && { byModel }),
    ...(savedAs !== undefined && { savedAs }),
  }
}
