import type { RecallBody, RecallReply, RecallRow } from '../../../contract/memory/memory.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { RememberDeps } from '../remember/remember.js'
import { type AggregateBudget, type Summary, summarize } from './aggregate.js'
import type { Found } from './hybrid-search.js'
import { currentnessOf } from './ranking/currentness.js'
import type { StepReport } from './ranking/run-steps.js'
import { type RowView, round } from './recall-row.js'
import { aggregateKey, aggregateSource, saveAggregate } from './saved-aggregate.js'
import { optional } from './stages.js'

/** A summary of a recall, and where it was saved. */
export interface Card {
  summary: Summary
  budget: AggregateBudget
  savedAs: string | undefined
}

/** A summary of what still holds; saved when that is asked for. */
export async function makeCard(
  deps: RememberDeps,
  { caller, body, report }: { caller: Caller; body: RecallBody; report: StepReport },
  found: readonly Found[],
): Promise<Card | undefined> {
  const now = deps.clock().toISOString()
  const budget = body.aggregateBudget ?? 'small'
  const holding = found.filter(({ row }) => ['current', 'upcoming'].includes(currentnessOf(row, now)))
  const summary = await optional(deps, report, 'aggregate', () => summarize(body.query, holding, budget))
  if (!summary) return undefined
  const savedAs = body.saveAggregate
    ? await optional(deps, report, 'save_aggregate', () =>
        saveAggregate(deps, caller, body, { summary, budget }),
      )
    : undefined
  return { summary, budget, savedAs }
}

/** The summary of this recall; its id is no memory's until it is saved. */
export function summaryRow(body: RecallBody, { summary, budget, savedAs }: Card, view: RowView): RecallRow {
  const key = aggregateKey(body.query, budget, summary)
  return {
    id: savedAs ?? `aggregate:${key}`,
    content: summary.text,
    type: 'semantic',
    tags: '',
    who: null,
    project: body.project ?? null,
    scope: body.scope ?? null,
    importance: 0,
    pinned: 0,
    score: round(Math.max(...summary.sources.map(({ score }) => score))),
    source: 'aggregate',
    created_at: view.now,
    session_id: null,
    source_type: aggregateSource,
    source_id: key,
    source_path: null,
    superseded_by: null,
    currentness: 'current',
    supplementary: true,
  }
}

/** The summary of this recall as `meta` tells of it. */
export function describeCard({ summary, budget, savedAs }: Card): RecallReply['meta']['aggregate'] {
  const memories = summary.sources.map(({ id }) => id)
  return { budget, characters: summary.text.length, memories, ...(savedAs !== undefined && { savedAs }) }
}
