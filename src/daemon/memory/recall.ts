import type { RecallBody, RecallReply, RecallRow } from '../../contract/memory.js'
import type { IndexHits } from '../../store/index/memory-index.js'
import type { MemoryFilter, ReadBoundary } from '../../store/tables/memory-filter.js'
import { type Caller, defaultAgent } from '../caller.js'
import type { Daemon } from '../daemon.js'
import { type AggregateBudget, type Summary, summarize } from './aggregate.js'
import { agentOf, recallBoundary } from './boundary.js'
import { formatBrief } from './brief.js'
import { type Found, search } from './hybrid-search.js'
import { type Claim, claim, type Ledger, readLedger } from './ledger.js'
import { type Linked, successorsOf } from './linked.js'
import { currentnessOf } from './ranking/currentness.js'
import { relevant } from './ranking/relevance.js'
import type { StepReport } from './ranking/run-steps.js'
import { linkedRow, rankedRow, summaryRow } from './recall-row.js'
import { toFilter } from './recall-filter.js'
import { intactAggregates, isAggregate, saveAggregate } from './saved-aggregate.js'
import { optional } from './stages.js'

type Deps = Pick<
  Daemon,
  'store' | 'index' | 'embedder' | 'backfill' | 'clock' | 'newId' | 'log' | 'configuration'
>

/** Successors and saved summaries that one recall adds at most. */
const maxLinked = 3
const maxSavedSummaries = 1

/** One recall on its way. */
interface Request {
  caller: Caller
  body: RecallBody
  boundary: ReadBoundary
  filter: MemoryFilter
  ledger: Ledger | undefined
  report: StepReport
}

/** What a recall gives back, before it is written as rows. */
interface Chosen {
  primary: readonly Found[]
  linked: readonly Linked[]
  summaries: readonly Found[]
  /** Every relevant row that is not withheld: what a summary is made from. */
  fresh: readonly Found[]
  withheld: number
}

interface Card {
  summary: Summary
  budget: AggregateBudget
  savedAs: string | undefined
}

/**
 * Hybrid recall: search, cut-off, what the session was shown already, supplementary rows in the places left, counters
 * (spec 1, 1.3 and 4.9). Everything after the search is optional; `meta` tells what was skipped.
 */
export async function recall(deps: Deps, caller: Caller, body: RecallBody): Promise<RecallReply> {
  const started = performance.now()
  const report: StepReport = { timings: {}, failures: [] }
  const boundary = await recallBoundary(deps, caller, body)
  const ledger = await ledgerOf(deps, caller, body, report)
  const request: Request = { caller, body, boundary, filter: toFilter(body), ledger, report }
  const { found, hits, embedding, ...searched } = await search(deps, {
    ...request,
    query: body.query,
    keywordQuery: body.keywordQuery,
    limit: body.limit + (ledger?.recalled.size ?? 0),
    ...(ledger && { ratings: ledger.ratings }),
  })
  Object.assign(report.timings, searched.timings)
  report.failures.push(...searched.failures)
  const candidates = await choose(deps, request, found)
  const { chosen, claimed } = await claimChosen(deps, request, candidates)
  const card = body.aggregate ? await makeCard(deps, request, chosen.fresh) : undefined
  await optional(deps, report, 'access', () => countAccess(deps, chosen.primary))
  const results = rowsOf(deps, request, chosen, claimed, card)
  report.timings.total = performance.now() - started
  return {
    results,
    count: results.length,
    query: body.query,
    method: methodOf(hits),
    meta: {
      totalReturned: results.length,
      hasSupplementary: results.some(({ supplementary }) => supplementary === true),
      noHits: results.length === 0,
      timings: rounded(report.timings),
      vectorCompleteness: hits.vectorCompleteness,
      searchedWindow: hits.searchedWindow,
      ...(embedding && { embedding }),
      ...(report.failures.length > 0 && { skipped: report.failures.map(({ step }) => step) }),
      ...(ledger && { withheld: chosen.withheld }),
      ...(claimed && { contextEpoch: claimed.epoch }),
      ...(card && { aggregate: describe(card) }),
    },
    message: formatBrief(body.query, results, chosen.withheld),
  }
}

/** A recall without a session key has no ledger and pays nothing for it. */
async function ledgerOf(
  deps: Deps,
  caller: Caller,
  body: RecallBody,
  report: StepReport,
): Promise<Ledger | undefined> {
  const { sessionKey } = body
  if (!sessionKey) return undefined
  const agentId = agentOf(caller, body) ?? defaultAgent
  return optional(deps, report, 'ledger', () => readLedger(deps, { agentId, sessionKey }))
}

/** The cut-off is that of all memories found: asking again gives the next of them, not weaker ones. */
async function choose(deps: Deps, request: Request, found: readonly Found[]): Promise<Chosen> {
  const { body, boundary, ledger, report } = request
  const scoreMin = body.score_min ?? undefined
  const isWithheld = ({ id }: { id: string }): boolean =>
    !body.includeRecalled && ledger?.recalled.has(id) === true
  const all = relevant(
    found.filter(({ row }) => !isAggregate(row)),
    scoreMin,
  )
  const fresh = all.filter(row => !isWithheld(row))
  const places = body.limit - (body.aggregate && fresh.length > 0 ? 1 : 0)
  const primary = fresh.slice(0, places)
  const free = places - primary.length
  const chosen = { primary, fresh, withheld: all.length - fresh.length, linked: [], summaries: [] }
  if (free === 0) return chosen
  const linked = await optional(deps, report, 'linked', () =>
    successorsOf(deps, primary, { ...request, limit: Math.min(free, maxLinked) }),
  )
  const newer = (linked ?? []).filter(({ row }) => !isWithheld(row))
  const saved = relevant(
    found.filter(found => isAggregate(found.row) && !isWithheld(found)),
    scoreMin,
  )
  if (saved.length === 0) return { ...chosen, linked: newer }
  const intact = await optional(deps, report, 'summaries', () =>
    intactAggregates(deps, saved, boundary, body),
  )
  const summaries = (intact ?? []).slice(0, Math.min(free - newer.length, maxSavedSummaries))
  return { ...chosen, linked: newer, summaries }
}

/** Takes the rows for this session; what another recall took at the same moment is withheld here. */
async function claimChosen(
  deps: Deps,
  { body, ledger, report }: Request,
  chosen: Chosen,
): Promise<{ chosen: Chosen; claimed: Claim | undefined }> {
  if (!ledger) return { chosen, claimed: undefined }
  const rows = [...chosen.primary, ...chosen.linked.map(({ row }) => row), ...chosen.summaries]
  const claimed = await optional(deps, report, 'claim', () =>
    claim(
      deps,
      ledger.session,
      rows.map(({ id }) => id),
    ),
  )
  if (!claimed || body.includeRecalled) return { chosen, claimed }
  const isFresh = ({ id }: { id: string }): boolean => claimed.fresh.has(id)
  const primary = chosen.primary.filter(isFresh)
  return {
    claimed,
    chosen: {
      ...chosen,
      primary,
      linked: chosen.linked.filter(({ row }) => isFresh(row)),
      summaries: chosen.summaries.filter(isFresh),
      withheld: chosen.withheld + chosen.primary.length - primary.length,
    },
  }
}

/** A summary of what still holds; saved when that is asked for. */
async function makeCard(
  deps: Deps,
  { caller, body, report }: Request,
  found: readonly Found[],
): Promise<Card | undefined> {
  const now = deps.clock().toISOString()
  const budget = body.aggregateBudget ?? 'small'
  const holding = found.filter(({ row }) => ['current', 'upcoming'].includes(currentnessOf(row, now)))
  const summary = await optional(deps, report, 'aggregate', async () =>
    summarize(body.query, holding, budget),
  )
  if (!summary) return undefined
  const savedAs = body.saveAggregate
    ? await optional(deps, report, 'save_aggregate', () =>
        saveAggregate(deps, caller, body, { summary, budget }),
      )
    : undefined
  return { summary, budget, savedAs }
}

/** Only what is returned as primary counts as accessed; a counter may be lost, so nothing waits for the disk (spec 1, 1.3.11). */
async function countAccess({ store, clock }: Deps, primary: readonly Found[]): Promise<void> {
  if (primary.length === 0) return
  const ids = primary.map(({ id }) => id)
  await store.bookkeeping(tables => tables.memories.countAccess(ids, clock().toISOString()))
}

function rowsOf(
  { clock }: Deps,
  { body, ledger }: Request,
  { primary, linked, summaries }: Chosen,
  claimed: Claim | undefined,
  card: Card | undefined,
): RecallRow[] {
  const view = { explain: body.explain, now: clock().toISOString() }
  const isRecalled = (id: string): boolean =>
    ledger !== undefined && (ledger.recalled.has(id) || claimed?.fresh.has(id) === false)
  const rows = [
    ...primary.map(found => rankedRow(found, view)),
    ...linked.map(found => linkedRow(found, view)),
    ...summaries.map(found => ({ ...rankedRow(found, view), supplementary: true })),
  ].map(row => (isRecalled(row.id) ? { ...row, recalled: true } : row))
  return card ? [...rows, summaryRow(body, card, view)] : rows
}

function describe({ summary, budget, savedAs }: Card): RecallReply['meta']['aggregate'] {
  const memories = summary.sources.map(({ id }) => id)
  return { budget, characters: summary.text.length, memories, ...(savedAs !== undefined && { savedAs }) }
}

function methodOf({ searchable, vectorCompleteness }: IndexHits): RecallReply['method'] {
  if (vectorCompleteness === 'none') return searchable ? 'keyword' : 'none'
  return searchable ? 'hybrid' : 'vector'
}

function rounded(timings: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(timings).map(([stage, ms]) => [stage, Number(ms.toFixed(2))]))
}
