import { createHash } from 'node:crypto'
import type { RecallBody, RecallFilters } from '../../../../contract/memory/memory.js'
import type { RecallableMemory } from '../../../../store/tables/memory/memories.js'
import type { ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import { agentOf } from '../../../ground/visibility/boundary.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { type RememberDeps, remember } from '../../remember/remember.js'
import { weights } from '../ranking/weights.js'
import type { SummaryBudget, SummaryText } from './extract-summary.js'

/** Source type of a memory made from memories: never ranked among them, never a source of another summary. */
export const summarySource = 'recall-aggregate'

/** A summary with its budget. */
export interface Summary extends SummaryText {
  budget: SummaryBudget
  /** True when a model wrote it. */
  byModel: boolean
}

/** The part of a saved summary's structured evidence that names its sources. */
interface SummaryRecord {
  query: string
  budget: SummaryBudget
  /** Ids of the source memories. */
  memories: string[]
}

export function isSavedSummary(row: Pick<RecallableMemory, 'source_type'>): boolean {
  return row.source_type === summarySource
}

/** Identifies a summary: the same memories found with the same query. */
export function summaryKey(query: string, { sources, budget, byModel }: Summary): string {
  const ids = sources.map(({ id }) => id)
  return createHash('sha256')
    .update(JSON.stringify([query, budget, ids, ...(byModel ? [byModel] : [])]))
    .digest('hex')
    .slice(0, 32)
}

/**
 * Saves a summary as a memory of the caller. It is private if one of its sources is, so that it reveals
 * nothing to others (recall.md 4.9). The same summary is saved once.
 * @returns the id of the memory.
 */
export async function saveSummary(
  deps: RememberDeps,
  caller: Caller,
  body: RecallBody,
  summary: Summary,
): Promise<string> {
  const record: SummaryRecord = {
    query: body.query,
    budget: summary.budget,
    memories: summary.sources.map(({ id }) => id),
  }
  const isPrivate = summary.sources.some(({ row }) => row.visibility === 'private')
  const { id } = await remember(deps, caller, {
    content: summary.text,
    type: 'semantic',
    importance: weights.summary.savedImportance,
    project: body.project,
    scope: body.scope,
    agentId: agentOf(caller, body),
    visibility: isPrivate ? 'private' : 'global',
    sourceType: summarySource,
    sourceId: summaryKey(body.query, summary),
    structured: { aggregate: record },
  })
  return id
}

/**
 * Keeps saved summaries whose sources are all valid and visible to the reader, so they repeat nothing that
 * was forgotten or replaced.
 */
export async function keepIntactSummaries<Row extends { row: RecallableMemory }>(
  { store }: Pick<Daemon, 'store'>,
  rows: readonly Row[],
  boundary: ReadBoundary,
  { scope }: RecallFilters,
): Promise<Row[]> {
  const sources = rows.map(({ row }) => recordOf(row)?.memories)
  const ids = [...new Set(sources.flatMap(list => list ?? []))]
  const visible = await store.tables.memories.authorize(ids, boundary, {
    scope: scope ?? null,
    superseded: false,
  })
  return rows.filter((_row, position) => sources[position]?.every(id => visible.has(id)) ?? false)
}

/** Undefined when the row's evidence does not belong to a summary, whatever its source type. */
function recordOf({ structured }: RecallableMemory): SummaryRecord | undefined {
  const evidence = JSON.parse(structured ?? '{}') as { aggregate?: Partial<SummaryRecord> }
  const memories = evidence.aggregate?.memories
  const isList = Array.isArray(memories) && memories.every(id => typeof id === 'string')
  return isList ? (evidence.aggregate as SummaryRecord) : undefined
}
