import { AppError } from '../../../contract/ground/errors.js'
import type { RecallBody, RecallReply, RecallRow, SearchParameters } from '../../../contract/memory/memory.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, nearOf, ownBoundary, recallBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { RememberDeps } from '../remember/remember.js'
import { chooseRows, claimRows, type Selection } from './choose/choose-rows.js'
import { readLedger } from './choose/ledger.js'
import type { StepReport } from './ranking/run-steps.js'
import { noteRecalledSources, recallEvents } from './reply/events.js'
import { composeReply, type RecallOutcome, resultsOf } from './reply/reply.js'
import type { CandidateSearch, RecallLedger, RecallRequest } from './search/candidates.js'
import { toFilter } from './search/filter.js'
import { mayMatchBoth, searchInTime, type TimeSearchResult } from './search/find-candidates.js'
import type { GraphReader } from './search/find-paths.js'
import { addTimings, type ModelDeps, optional } from './search/optional-steps.js'
import { rerank } from './search/rerank.js'
import { admitSummary, makeSummary } from './summary/make-summary.js'

/** An answered recall. */
export interface RecallRun {
  reply: RecallReply
  /** Ids that the session had been shown before in this context epoch. */
  shownBefore: readonly string[]
}

/** Includes the dependencies of a save, since a summary is saved like any memory. */
export type RecallDeps = RememberDeps &
  ModelDeps &
  Pick<Daemon, 'projects' | 'accessCounts' | 'artifactIndex' | 'environment' | 'paths' | 'plugins'>

/**
 * Hybrid recall: search, cut-off, the session's ledger, supplementary rows in free places, counters
 * (recall.md 1.3 and 4.9). Everything after the search is optional; `meta` names the skipped steps.
 */
export async function recall(deps: RecallDeps, caller: Caller, body: SearchParameters): Promise<RecallRun> {
  const started = performance.now()
  const report: StepReport = { timings: {}, failures: [] }
  admitSummary(deps, caller, body)
  const ledger = await ledgerOf(deps, caller, body, report)
  const { request, searched, selection: chosen } = await search(deps, caller, body, { ledger, report })
  const { selection, claim } = await claimRows(deps, request, chosen)
  const summary = body.aggregate ? await makeSummary(deps, request, selection.summed) : undefined
  // Only primary rows count as accessed (recall.md 1.3.11).
  deps.accessCounts.note(
    selection.primary.map(({ id }) => id),
    deps.clock().toISOString(),
  )
  const outcome = { searched, selection, claim, summary }
  const results = await resultsOf(deps, request, outcome)
  await noteShown(deps, request, results, outcome)
  return {
    reply: await composeReply(request, outcome, { results, started }),
    shownBefore: [...(ledger?.recalled ?? [])],
  }
}

/**
 * Computes what a recall would return now, without writing, counting or summarising anything.
 * @param ledger rows the session had been shown
 */
export async function replayRecall(
  deps: RecallDeps,
  caller: Caller,
  body: SearchParameters,
  ledger: RecallLedger | undefined,
  report: StepReport = { timings: {}, failures: [] },
): Promise<RecallReply> {
  const started = performance.now()
  const { request, searched, selection } = await search(deps, caller, body, { ledger, report })
  const outcome = { searched, selection, claim: undefined, summary: undefined }
  const results = await resultsOf(deps, request, outcome)
  return composeReply(request, outcome, { results, started })
}

/**
 * A recall that leaves no trace, not even of the request (recall.md#trials).
 * @throws AppError `validation_failed` when a summary is requested too
 */
export async function tryRecall(
  deps: RecallDeps,
  caller: Caller,
  body: SearchParameters,
): Promise<RecallReply> {
  if (body.aggregate)
    throw new AppError('validation_failed', 'a trial makes no summary: leave out aggregate or trial', [
      { path: 'trial', message: 'a trial makes no summary' },
    ])
  const report: StepReport = { timings: {}, failures: [] }
  return replayRecall(deps, caller, body, await ledgerOf(deps, caller, body, report), report)
}

/** Runs from the boundary to the chosen rows, without writing anything. */
async function search(
  deps: RecallDeps,
  caller: Caller,
  body: SearchParameters,
  { ledger, report }: Pick<RecallRequest, 'ledger' | 'report'>,
): Promise<{ request: RecallRequest; searched: TimeSearchResult; selection: Selection }> {
  const wantedRows = toFilter(body)
  // Asked in one trip with the boundary.
  const both = mayMatchBoth(deps, wantedRows)
  both.catch(() => undefined)
  const boundary = await recallBoundary(deps, caller, body)
  const graph = graphReader(deps, caller, body)
  const filter = { ...wantedRows, ...(await nearOf(deps, caller, body)) }
  // Code ties are read only while the plugin is enabled.
  const code = deps.plugins.allows({ id: 'service.codeindex', capability: 'code:read' })
  const request: RecallRequest = { caller, body, boundary, filter, ledger, graph, code, report }
  const wanted: CandidateSearch = {
    query: body.query,
    keywordQuery: body.keywordQuery,
    boundary,
    filter,
    both,
    limit: body.limit + (ledger?.recalled.size ?? 0),
    ratings: ledger?.ratings,
    code,
    artifacts: body.score_min == null ? 'answering' : 'all',
    graph,
    channels: body.channels ? new Set(body.channels) : undefined,
  }
  const unordered = await searchInTime(deps, wanted, body.time)
  addTimings(report.timings, unordered.timings)
  report.failures.push(...unordered.failures)
  const searched = await rerank(deps, request, unordered)
  return { request, searched, selection: await chooseRows(deps, request, searched) }
}

/** The ontology in which the recall looks up names; undefined when the settings disable all its uses. */
function graphReader(
  { configuration }: RecallDeps,
  caller: Caller,
  body: SearchParameters,
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

/** Records the shown rows in the session's black box, and first recalls in their sources. */
async function noteShown(
  deps: RecallDeps,
  { body, ledger, report }: RecallRequest,
  results: readonly RecallRow[],
  { selection, claim }: RecallOutcome,
): Promise<void> {
  const sourceIds = selection.artifacts.map(({ chunk }) => chunk.source_id)
  await optional(deps, report, 'sources', () => noteRecalledSources(deps, sourceIds))
  if (!ledger) return
  const events = recallEvents(body, results, selection, claim?.epoch)
  deps.blackBoxes.note({ ...ledger.session, project: body.project }, events)
}

/** Undefined without a session key. */
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
