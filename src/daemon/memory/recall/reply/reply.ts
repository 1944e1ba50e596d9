import type { RecallBody, RecallReply, RecallRow } from '../../../../contract/memory/memory.js'
import { turnsAfter } from '../../../../lib/concurrency/every-few-ms.js'
import { harmless } from '../../../../lib/text/harmless.js'

import { blockOf, label, oneLine, trail } from '../../../../lib/text/one-line.js'
import type { IndexHits } from '../../../../store/index/search.js'
import type { CodeTieRow } from '../../../../store/tables/knowledge/code-ties.js'
import type { ChunkLocation } from '../../../../store/tables/knowledge/document-chunks.js'
import { chunkType } from '../../../../store/tables/memory/memory-filter.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { Selection } from '../choose/choose-rows.js'
import type { Claim } from '../choose/ledger.js'
import type { AuthorizedRow, RecallRequest } from '../search/candidates.js'
import { channelsInForce } from '../search/filter.js'
import { inTimeOrder, type TimeSearchResult } from '../search/find-candidates.js'
import { optional } from '../search/optional-steps.js'
import type { RecallSummary } from '../summary/make-summary.js'
import { summaryKey, summarySource } from '../summary/saved-summary.js'
import { artifactRow, cardRow, type RowView, rankedRow, successorRow } from './row.js'

const maxContent = 500
const maxQuery = 200
const maxMoved = 3
/** Longer than the longest summary. */
const maxSummaryLine = 10_000

/**
 * Formats recall results as text for a model: dated, typed, with ids for follow-up requests (recall.md 4.9).
 * Text from callers stays in its line and can't close an element of the service.
 */
function formatRecallText(asked: string, results: readonly RecallRow[], withheld = 0): string {
  const query = harmless(oneLine(asked, maxQuery))
  if (results.length === 0) return emptyText(query, withheld)
  const noun = results.length === 1 ? 'memory' : 'memories'
  const heading = `${results.length} ${noun} for "${query}", best first${alsoWithheld(withheld)}:`
  return [heading, ...results.map(lineOf)].join('\n')
}

function emptyText(query: string, withheld: number): string {
  return withheld === 0
    ? `No memories match "${query}".`
    : `No further memories match "${query}"${alsoWithheld(withheld)}; set includeRecalled to get them again.`
}

function alsoWithheld(count: number): string {
  return count === 0 ? '' : ` (${count} already recalled in this session)`
}

function lineOf(row: RecallRow): string {
  const content = row.source === 'aggregate' ? summaryOf(row) : oneLine(row.content, maxContent)
  const id = /^(?:aggregate|entity):/u.test(row.id) ? '' : ` (id ${label(row.id)})`
  const block = blockOf(row.verbatim, maxContent)
  return harmless(
    `- [${labels(row).join(', ')}]${block === undefined ? ` ${content}${id}` : `${id}:${block}`}`,
  )
}

/** The line breaks of a summary are the service's own; its content is not trusted. */
function summaryOf({ content }: RecallRow): string {
  return content
    .split('\n')
    .map(line => oneLine(line, maxSummaryLine))
    .join('\n')
}

/** Names code that the memory mentions and that has changed since. */
function movedLabel({ code = [] }: RecallRow): string | null {
  const moved = code.filter(({ state }) => state !== 'here').slice(0, maxMoved)
  return moved.length === 0
    ? null
    : moved.map(({ target, state }) => `${label(target)} ${state} since`).join('; ')
}

function labels(row: RecallRow): string[] {
  const day = row.created_at.slice(0, 10)
  return [
    row.source === 'aggregate' ? 'summary' : row.type,
    day,
    placeOf(row),
    row.who === null ? null : label(row.who),
    row.pinned ? 'pinned' : null,
    row.currentness === 'superseded' ? `superseded by ${label(row.superseded_by ?? '')}` : null,
    row.currentness === 'expired' || row.currentness === 'upcoming' ? row.currentness : null,
    movedLabel(row),
    row.recalled ? 'recalled before' : null,
  ].filter(label => label !== null)
}

/** Document of a chunk and its location there. */
function placeOf({ document }: RecallRow): string | null {
  const place = trail([document?.title, document?.heading, document?.page])
  return place ? label(place) : null
}

type Deps = Pick<Daemon, 'store' | 'clock' | 'log'>

/** Input of a reply. */
export interface RecallOutcome {
  searched: TimeSearchResult
  selection: Selection
  /** Undefined without a session key, or when claiming rows for the session failed. */
  claim: Claim | undefined
  summary: RecallSummary | undefined
}

/** Converts the selected rows for the reply. */
export async function resultsOf(
  deps: Deps,
  request: RecallRequest,
  { searched, selection, claim, summary }: RecallOutcome,
): Promise<RecallRow[]> {
  const { body, ledger } = request
  const { confidence, documents } = searched
  const places = await placesOf(deps, request, selection.primary)
  const ties = await tiesOf(deps, request, selection)
  const view: RowView = { explain: body.explain, confidence, now: deps.clock().toISOString(), places, ties }
  const ofChunks = documents && { ...view, confidence: documents.confidence }
  const ofArtifacts = { ...view, confidence: selection.artifactConfidence ?? confidence }
  const ranked = inTimeOrder(selection.primary, body.time).map(whole =>
    rankedRow(whole, ofChunks && whole.row.type === chunkType ? ofChunks : view),
  )
  const passages = selection.artifacts.map(artifact => artifactRow(artifact, ofArtifacts))
  const isRecalled = (id: string): boolean =>
    ledger !== undefined && (ledger.recalled.has(id) || claim?.fresh.has(id) === false)
  const rows = [
    ...ranked,
    ...passages,
    ...selection.successors.map(successor => successorRow(successor, view)),
    ...selection.summaries.map(saved => ({ ...rankedRow(saved, view), supplementary: true })),
    ...selection.cards.map(cardRow),
  ].map(row => (isRecalled(row.id) ? { ...row, recalled: true } : row))
  return summary ? [...rows, summaryRow(body, summary, view)] : rows
}

/** Locations of chunks in their documents; most recalls find no chunk. */
async function placesOf(
  { store, log }: Deps,
  { boundary, report }: RecallRequest,
  primary: readonly AuthorizedRow[],
): Promise<ReadonlyMap<string, ChunkLocation>> {
  const chunks = primary.map(({ row }) => row).filter(({ type }) => type === chunkType)
  if (chunks.length === 0) return new Map()
  const { documentChunks } = store.tables
  const places = await optional({ log }, report, 'documents', () => documentChunks.placesOf(chunks, boundary))
  return places ?? new Map()
}

/** Ties of the rows to code of their projects (code-index.md 11). */
async function tiesOf(
  { store, log }: Deps,
  { code, report }: RecallRequest,
  { primary, successors }: Selection,
): Promise<ReadonlyMap<string, CodeTieRow[]>> {
  const ties = new Map<string, CodeTieRow[]>()
  const ids = [...primary.map(({ id }) => id), ...successors.map(({ row }) => row.id)]
  if (ids.length === 0 || !code) return ties
  const { codeTies } = store.tables
  for (const tie of (await optional({ log }, report, 'code', () => codeTies.tiesOf(ids))) ?? [])
    ties.set(tie.memory_id, [...(ties.get(tie.memory_id) ?? []), tie])
  return ties
}

export async function composeReply(
  request: RecallRequest,
  outcome: RecallOutcome,
  { results, started }: { results: readonly RecallRow[]; started: number },
): Promise<RecallReply> {
  const { query } = request.body
  await turnsAfter(results)
  request.report.timings.total = performance.now() - started
  return {
    results: [...results],
    count: results.length,
    query,
    method: methodOf(outcome.searched.hits),
    meta: metaOf(request, outcome, results),
    message: formatRecallText(query, results, outcome.selection.withheld),
  }
}

function methodOf({ searchable, vectorCompleteness }: IndexHits): RecallReply['method'] {
  if (vectorCompleteness === 'none') return searchable ? 'keyword' : 'none'
  return searchable ? 'hybrid' : 'vector'
}

/** Metadata of the recall, including its confidence. */
function metaOf(
  { body, graph, report, ledger }: RecallRequest,
  { searched, selection, claim, summary }: RecallOutcome,
  results: readonly RecallRow[],
): RecallReply['meta'] {
  const { hits, embedding, relaxed } = searched
  return {
    totalReturned: results.length,
    hasSupplementary: results.some(({ supplementary }) => supplementary === true),
    noHits: results.length === 0,
    confidence: Math.max(searched.confidence.value, searched.documents?.confidence.value ?? 0),
    timings: rounded(report.timings),
    vectorCompleteness: hits.vectorCompleteness,
    searchedWindow: hits.searchedWindow,
    rebuilding: hits.complete ? undefined : true,
    timeRelaxed: relaxed || undefined,
    embedding: embedding || undefined,
    channels: body.explain ? channelsInForce(body.channels, graph) : undefined,
    skipped: report.failures.length > 0 ? report.failures.map(({ step }) => step) : undefined,
    withheld: ledger && selection.withheld,
    elsewhere: body.elsewhere ? passagesElsewhere(selection) : undefined,
    contextEpoch: claim?.epoch,
    aggregate: summary && describeSummary(summary),
  }
}

/** The other kinds are counted beside the recall (`elsewhere.ts`). */
function passagesElsewhere({ passagesLeft }: Selection): RecallReply['meta']['elsewhere'] {
  return passagesLeft > 0 ? { document: passagesLeft } : {}
}

function rounded(timings: Record<string, number>): Record<string, number> {
  const shown: Record<string, number> = {}
  for (const step in timings) shown[step] = Math.round(100 * timings[step]!) / 100
  return shown
}

/** The summary as a row of the reply; the id refers to a memory only after the summary is saved. */
function summaryRow(body: RecallBody, summary: RecallSummary, view: RowView): RecallRow {
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

function describeSummary(summary: RecallSummary): RecallReply['meta']['aggregate'] {
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
