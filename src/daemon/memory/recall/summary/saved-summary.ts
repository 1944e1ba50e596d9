import { createHash } from 'node:crypto'
import type { RecallBody, RecallFilters } from '../../../../contract/memory/memory.js'
import { LoopBudget } from '../../../../lib/concurrency/loop-budget.js'
import { clip } from '../../../../lib/text/clip.js'
import { oneLine } from '../../../../lib/text/one-line.js'
import { Analyzer, holdsWord } from '../../../../store/index/words/analysis/analyzer.js'
import type { RecallableMemory } from '../../../../store/tables/memory/memories.js'
import type { ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import { agentOf } from '../../../ground/visibility/boundary.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { type RememberDeps, remember } from '../../remember/remember.js'
import { weights } from '../ranking/weights.js'
import type { AuthorizedRow } from '../search/candidates.js'

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

export type SummaryBudget = NonNullable<RecallBody['aggregateBudget']>

/** Characters of a line break, a day, a colon and a space. */
const dayLength = 13

/** A summary of several memories in their own words. */
export interface SummaryText {
  text: string
  /** Memories whose sentences the summary contains, oldest first. */
  sources: readonly AuthorizedRow[]
}

interface Sentence {
  source: AuthorizedRow
  text: string
  position: number
  terms: ReadonlySet<string>
  value: number
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

/**
 * An extractive summary: the sentences of the best rows that answer the query best, without repetitions,
 * within the budget, in order of time (recall.md 4.9). The same rows and query always give the same text.
 * @returns undefined without rows, or when no sentence fits the budget.
 */
export async function summarize(
  query: string,
  rows: readonly AuthorizedRow[],
  budget: SummaryBudget,
): Promise<SummaryText | undefined> {
  const loop = new LoopBudget()
  const heading = headingOf(query)
  const chosen: Sentence[] = []
  let left = weights.summary.characters[budget] - heading.length
  for (const sentence of await sentencesOf(query, rows.slice(0, weights.summary.rows), loop)) {
    await loop.breathe()
    const isNew = !chosen.some(({ source }) => source.id === sentence.source.id)
    const cost = sentence.text.length + (isNew ? dayLength : 1)
    if (
      cost > left ||
      chosen.some(other => overlap(other.terms, sentence.terms) >= weights.summary.sameShare)
    )
      continue
    chosen.push(sentence)
    left -= cost
  }
  const sources = [...new Set(chosen.map(({ source }) => source))].sort(byTime)
  const lines = sources.map(source => {
    const own = chosen.filter(sentence => sentence.source === source).sort((a, b) => a.position - b.position)
    return `${source.row.created_at.slice(0, 10)}: ${own.map(({ text }) => text).join(' ')}`
  })
  return lines.length > 0 ? { text: [heading, ...lines].join('\n'), sources } : undefined
}

/** The first line of a summary. */
export function headingOf(query: string): string {
  return `Memory on "${oneLine(query, 200)}":`
}

/** All sentences of the rows, best first; each further sentence of a row counts less. */
async function sentencesOf(
  query: string,
  rows: readonly AuthorizedRow[],
  loop: LoopBudget,
): Promise<Sentence[]> {
  const analyzer = new Analyzer()
  const asked = [...analyzer.asked(query)]
  const sentences: Sentence[] = []
  for (const source of rows) {
    await loop.breathe()
    const own = split(source.row.content).map((text, position): Sentence => {
      const terms = new Set(analyzer.index(text))
      const found = asked.filter(word => holdsWord(terms, word))
      const covered = found.length / Math.max(1, asked.length)
      return { source, text, position, terms, value: source.evidence * (weights.summary.unasked + covered) }
    })
    const ranked = own.sort(byValue)
    sentences.push(...ranked.map((sentence, rank) => ({ ...sentence, value: sentence.value / (1 + rank) })))
  }
  return sentences.sort(byValue)
}

/** Stable: sentences of equal value keep the order of the ranking and of their text. */
function byValue(a: Sentence, b: Sentence): number {
  return b.value - a.value
}

/** Oldest first. */
export function byTime(a: AuthorizedRow, b: AuthorizedRow): number {
  return a.row.created_at.localeCompare(b.row.created_at) || a.id.localeCompare(b.id)
}

/** Only an end mark before a space ends a sentence, so versions, paths and hosts are not split. */
function split(content: string): string[] {
  return clip(content, weights.summary.rowCharacters)
    .split(/(?<=[.!?؟…])\s+|(?<=[。！？])/u)
    .filter(text => /[\p{L}\p{N}]/u.test(text))
    .map(text => oneLine(text, weights.summary.sentenceCharacters))
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const term of a) if (b.has(term)) shared++
  return shared / Math.max(1, a.size + b.size - shared)
}
