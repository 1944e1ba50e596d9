import { AppError } from '../../../contract/ground/errors.js'
import type { RecallBody, RecallReply, RecallRow, SoughtBody } from '../../../contract/memory/memory.js'
import { turnsAfter } from '../../../lib/concurrency/every-few-ms.js'
import type { IndexHits } from '../../../store/index/search.js'
import type { CodeTieRow } from '../../../store/tables/knowledge/code-ties.js'
import type { ChunkPlace } from '../../../store/tables/knowledge/document-chunks.js'
import { chunkType } from '../../../store/tables/memory/memory-filter.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, ownBoundary, recallBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { RememberDeps } from '../remember/remember.js'
import { admitSummary, type ModelDeps } from './admit-model.js'
import { channelsInForce } from './channels.js'
import { type Chosen, chooseRows, claimRows, type RecallRequest } from './choose-rows.js'
import { cardRow } from './entity-cards.js'
import { addTimings, type CandidateSearch, type Found } from './find-candidates.js'
import type { GraphReader } from './graph/find-paths.js'
import { noteRecalledSources } from './note-recalled-sources.js'
import { optional } from './optional-steps.js'
import type { Confidence } from './ranking/confidence.js'
import type { StepReport } from './ranking/run-steps.js'
import { weights } from './ranking/weights.js'
import { recallEvents } from './recall-events.js'
import { toFilter } from './recall-filter.js'
import { type Claim, type RecallLedger, readLedger } from './recall-ledger.js'
import { artifactRow, artifactType, rankedRow, successorRow } from './recall-row.js'
import { describeSummary, makeSummary, type RecallSummary, summaryRow } from './recall-summary.js'
import { formatRecallText } from './recall-text.js'
import { inTimeOrder, searchInTime, type TimedResult } from './recall-time.js'
import { reranked } from './rerank.js'

/** A recall that was answered. */
export interface RecallRun {
  reply: RecallReply
  /** Ids that its session had been shown in this context epoch. */
  shownBefore: readonly string[]
}

/** A summary is saved as any memory is. */
export type RecallDeps = RememberDeps &
  ModelDeps &
  Pick<Daemon, 'accessCounts' | 'artifactIndex' | 'environment' | 'paths' | 'plugins'>

/**
 * Hybrid recall: search, cut-off, what the session was shown already, supplementary rows in the places left, counters
 * (recall.md 1.3 and 4.9). Everything after the search is optional; `meta` tells what was skipped.
 */
export async function recall(deps: RecallDeps, caller: Caller, body: RecallBody): Promise<RecallRun> {
  const started = performance.now()
  const report: StepReport = { timings: {}, failures: [] }
  admitSummary(deps, caller, body)
  const ledger = await ledgerOf(deps, caller, body, report)
  const { request, searched, candidates } = await search(deps, caller, body, { ledger, report })
  const { chosen, claimed } = await claimRows(deps, request, candidates)
  const summary = body.aggregate ? await makeSummary(deps, request, chosen.summed) : undefined
  // Only what is returned as primary counts as accessed (recall.md 1.3.11).
  deps.accessCounts.note(
    chosen.primary.map(({ id }) => id),
    deps.clock().toISOString(),
  )
  const ran = { searched, candidates, chosen, claimed, summary }
  const results = await resultsOf(deps, request, ran)
  await noteShown(deps, request, results, { ...chosen, epoch: claimed?.epoch })
  return {
    reply: await replyOf(request, ran, { results, started }),
    shownBefore: [...(ledger?.recalled ?? [])],
  }
}

/**
 * What a recall would give now: nothing is written, counted or noted, and no summary is made.
 * @param ledger what its session had been shown
 */
export async function recallAgain(
  deps: RecallDeps,
  caller: Caller,
  body: SoughtBody,
  ledger: RecallLedger | undefined,
  report: StepReport = { timings: {}, failures: [] },
): Promise<RecallReply> {
  const started = performance.now()
  const { request, searched, candidates } = await search(deps, caller, body, { ledger, report })
  const ran = { searched, candidates, chosen: candidates, claimed: undefined, summary: undefined }
  const results = await resultsOf(deps, request, ran)
  return replyOf(request, ran, { results, started })
}

/**
 * A recall that leaves no trace, not even that somebody asked (recall.md#trials).
 * @throws AppError `validation_failed` when a summary is wanted too
 */
export async function tryRecall(deps: RecallDeps, caller: Caller, body: SoughtBody): Promise<RecallReply> {
  if (body.aggregate)
    throw new AppError('validation_failed', 'a trial makes no summary: leave out aggregate or trial', [
      { path: 'trial', message: 'a trial makes no summary' },
    ])
  const report: StepReport = { timings: {}, failures: [] }
  return recallAgain(deps, caller, body, await ledgerOf(deps, caller, body, report), report)
}

/** From the boundary to the rows that are chosen; it writes nothing. */
async function search(
  deps: RecallDeps,
  caller: Caller,
  body: SoughtBody,
  { ledger, report }: Pick<RecallRequest, 'ledger' | 'report'>,
): Promise<{ request: RecallRequest; searched: TimedResult; candidates: Chosen }> {
  const boundary = await recallBoundary(deps, caller, body)
  const graph = graphReader(deps, caller, body)
  const filter = toFilter(body)
  const request: RecallRequest = { caller, body, boundary, filter, ledger, graph, report }
  const wanted: CandidateSearch = {
    query: body.query,
    keywordQuery: body.keywordQuery,
    boundary,
    filter,
    limit: body.limit + (ledger?.recalled.size ?? 0),
    ratings: ledger?.ratings,
    code: plugsInCode(deps),
    artifacts: body.score_min == null ? 'answering' : 'all',
    graph,
    channels: body.channels ? new Set(body.channels) : undefined,
  }
  const unordered = await searchInTime(deps, wanted, body.time)
  addTimings(report.timings, unordered.timings)
  report.failures.push(...unordered.failures)
  const searched = await reranked(deps, request, unordered)
  return { request, searched, candidates: await chooseRows(deps, request, searched) }
}

function confidencesOf(
  { confidence, documents }: TimedResult,
  { artifactConfidence }: Chosen,
): Pick<Told, 'confidence' | 'documents' | 'artifacts'> {
  return { confidence, documents: documents?.confidence, artifacts: artifactConfidence }
}

/** In whose ontology the recall looks for names; undefined where the settings ask for none of it. */
function graphReader(
  { configuration }: RecallDeps,
  caller: Caller,
  body: SoughtBody,
): GraphReader | undefined {
  const { recall: settings } = configuration().settings
  const { cards } = settings
  const { claims, traversal } = body.channels
    ? { claims: body.channels.includes('claims'), traversal: body.channels.includes('traversal') }
    : settings
  if (!claims && !traversal && !cards) return undefined
  const agentId = agentOf(caller, body) ?? defaultAgent
  return { agentId, boundary: ownBoundary(caller, agentId, body), claims, traversal, cards }
}

/** The black box of the session keeps what it was shown; of sources it is noted when something is found for the first time. */
async function noteShown(
  deps: RecallDeps,
  { body, ledger, report }: RecallRequest,
  results: readonly RecallRow[],
  { artifacts, ...told }: Pick<Chosen, 'artifacts' | 'withheld' | 'leftOut'> & { epoch: number | undefined },
): Promise<void> {
  const found = artifacts.map(({ chunk }) => chunk.source_id)
  await optional(deps, report, 'sources', () => noteRecalledSources(deps, found))
  if (!ledger) return
  deps.blackBoxes.note({ ...ledger.session, project: body.project }, recallEvents(body, results, told))
}

/** Without a session key there is no ledger to read. */
async function ledgerOf(
  deps: RecallDeps,
  caller: Caller,
  body: RecallBody,
  report: StepReport,
): Promise<RecallLedger | undefined> {
  if (!body.sessionKey) return undefined
  const sessionKey = sessionKeyOf(body.sessionKey)
  const agentId = agentOf(caller, body) ?? defaultAgent
  return optional(deps, report, 'ledger', () => readLedger(deps, { agentId, sessionKey }))
}

/** Where the chunks among the rows stand in their documents; most recalls find none. */
async function placesOf(
  deps: RecallDeps,
  { boundary, report }: RecallRequest,
  primary: readonly Found[],
): Promise<ReadonlyMap<string, ChunkPlace>> {
  const chunks = primary.map(({ row }) => row).filter(({ type }) => type === chunkType)
  if (chunks.length === 0) return new Map()
  const { documentChunks } = deps.store.tables
  return (
    (await optional(deps, report, 'documents', () => documentChunks.placesOf(chunks, boundary))) ?? new Map()
  )
}

/** While the plugin is off, nothing of code is looked at. */
function plugsInCode({ plugins }: RecallDeps): boolean {
  return plugins.allows({ id: 'service.codeindex', capability: 'code:read' })
}

/** What the rows say of the code of their projects (code-index.md 11). */
async function tiesOf(
  deps: RecallDeps,
  { report }: RecallRequest,
  { primary, successors }: Chosen,
): Promise<ReadonlyMap<string, CodeTieRow[]>> {
  const ties = new Map<string, CodeTieRow[]>()
  const ids = [...primary.map(({ id }) => id), ...successors.map(({ row }) => row.id)]
  if (ids.length === 0 || !plugsInCode(deps)) return ties
  const { codeTies } = deps.store.tables
  for (const tie of (await optional(deps, report, 'code', () => codeTies.tiesOf(ids))) ?? [])
    ties.set(tie.memory_id, [...(ties.get(tie.memory_id) ?? []), tie])
  return ties
}

/** What else the rows of a reply tell. */
interface Told {
  claimed: Claim | undefined
  summary: RecallSummary | undefined
  confidence: Confidence
  /** Of the chunks, where they were ranked by themselves. */
  documents: Confidence | undefined
  artifacts: Confidence | undefined
  places: ReadonlyMap<string, ChunkPlace>
  ties: ReadonlyMap<string, CodeTieRow[]>
}

/** A recall that found what it gives. */
interface Ran extends Pick<Told, 'claimed' | 'summary'> {
  searched: TimedResult
  candidates: Chosen
  chosen: Chosen
}

/** What was chosen, as the caller sees it. */
async function resultsOf(deps: RecallDeps, request: RecallRequest, ran: Ran): Promise<RecallRow[]> {
  const { searched, candidates, chosen, claimed, summary } = ran
  const places = await placesOf(deps, request, chosen.primary)
  const ties = await tiesOf(deps, request, chosen)
  const told = { claimed, summary, places, ties, ...confidencesOf(searched, candidates) }
  return rowsOf(deps, request, chosen, told)
}

async function replyOf(
  request: RecallRequest,
  ran: Ran,
  { results, started }: { results: readonly RecallRow[]; started: number },
): Promise<RecallReply> {
  const { query } = request.body
  await turnsAfter(results)
  request.report.timings.total = performance.now() - started
  return {
    results: [...results],
    count: results.length,
    query,
    method: methodOf(ran.searched.hits),
    meta: metaOf(request, ran, results),
    message: formatRecallText(query, results, ran.chosen.withheld),
  }
}

/** How the recall went, and how sure it is. */
function metaOf(
  { body, graph, report, ledger }: RecallRequest,
  { searched, chosen, claimed, summary }: Ran,
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
    withheld: ledger && chosen.withheld,
    contextEpoch: claimed?.epoch,
    aggregate: summary && describeSummary(summary),
  }
}

function rowsOf(
  { clock }: RecallDeps,
  { body, ledger }: RecallRequest,
  { primary, successors, summaries, cards, artifacts: found }: Chosen,
  { claimed, summary, confidence, documents, artifacts = confidence, places, ties }: Told,
): RecallRow[] {
  const view = { explain: body.explain, confidence, now: clock().toISOString(), places, ties }
  const isRecalled = (id: string): boolean =>
    ledger !== undefined && (ledger.recalled.has(id) || claimed?.fresh.has(id) === false)
  const ranked = inTimeOrder(primary, body.time).map(found =>
    rankedRow(found, documents && found.row.type === chunkType ? { ...view, confidence: documents } : view),
  )
  const passages = found.map(one => artifactRow(one, { ...view, confidence: artifacts }))
  const rows = [
    ...bestFirst(ranked, passages),
    ...successors.map(found => successorRow(found, view)),
    ...summaries.map(found => ({ ...rankedRow(found, view), supplementary: true })),
    ...cards.map(cardRow),
  ].map(row => (isRecalled(row.id) ? { ...row, recalled: true } : row))
  return summary ? [...rows, summaryRow(body, summary, view)] : rows
}

/** Passages of sources stand before memories with a clearly lower score, behind all others. */
function bestFirst(ranked: RecallRow[], passages: RecallRow[]): RecallRow[] {
  if (passages.length === 0) return ranked
  const standing = ({ score, type }: RecallRow): number =>
    type === artifactType ? score - weights.artifacts.lead : score
  return [...ranked, ...passages].sort((a, b) => standing(b) - standing(a))
}

function methodOf({ searchable, vectorCompleteness }: IndexHits): RecallReply['method'] {
  if (vectorCompleteness === 'none') return searchable ? 'keyword' : 'none'
  return searchable ? 'hybrid' : 'vector'
}

function rounded(timings: Record<string, number>): Record<string, number> {
  const shown: Record<string, number> = {}
  for (const step in timings) shown[step] = Math.round(100 * timings[step]!) / 100
  return shown
}
