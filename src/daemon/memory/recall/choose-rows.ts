import type { SoughtBody } from '../../../contract/memory/memory.js'
import type { MemoryFilter, ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type EntityCard, entityCards } from './entity-cards.js'
import type { FoundArtifact } from './find-artifacts.js'
import type { ArtifactsBeside, Candidates, Found, Judged } from './find-candidates.js'
import type { FoundPaths, GraphReader } from './graph/find-paths.js'
import { optional, timed } from './optional-steps.js'
import type { Confidence } from './ranking/confidence.js'
import { relevant } from './ranking/relevance.js'
import type { StepReport } from './ranking/run-steps.js'
import { weights } from './ranking/weights.js'
import { type Claim, claim, type RecallLedger } from './recall-ledger.js'
import { intactSummaries, isSavedSummary } from './recall-summary-saved.js'
import { type SuccessorRow, successorsOf } from './successor-rows.js'
import { wholeRows } from './whole-rows.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'log'>

/** One recall on its way. */
export interface RecallRequest {
  caller: Caller
  body: SoughtBody
  boundary: ReadBoundary
  filter: MemoryFilter
  ledger: RecallLedger | undefined
  /** Undefined where the settings ask for nothing of what is known. */
  graph: GraphReader | undefined
  report: StepReport
}

/** What a recall gives back, before it is written as rows. */
export interface Chosen {
  primary: readonly Found[]
  successors: readonly SuccessorRow[]
  summaries: readonly Found[]
  cards: readonly EntityCard[]
  artifacts: readonly FoundArtifact[]
  /** How sure the ranking of artifacts is; undefined where none was looked at. */
  artifactConfidence: Confidence | undefined
  /** Every relevant row that is not withheld, where a summary is made from them. */
  summed: readonly Found[]
  withheld: number
  /** Memories and chunks that were found and are not given: why, and how many. */
  leftOut: { belowCutOff: number; beyondLimit: number }
}

/**
 * The cut-off is computed over all found rows, withheld ones included: asking again gives the next rows, not weaker
 * ones.
 */
export async function chooseRows(
  deps: Deps,
  request: RecallRequest,
  {
    found,
    confidence,
    documents,
    artifacts,
    paths,
  }: Pick<Candidates, 'found' | 'confidence' | 'documents' | 'artifacts' | 'paths'>,
): Promise<Chosen> {
  const { body } = request
  const scoreMin = body.score_min ?? undefined
  const rankable = found.filter(({ row }) => !isSavedSummary(row))
  const memories = relevant(rankable, confidence, scoreMin)
  const chunks = documents ? relevant(documents.found, documents.confidence, scoreMin) : []
  const all = chunks.length === 0 ? memories : [...memories, ...chunks].sort(byStanding)
  const isFresh = (row: Judged): boolean => !isWithheld(request, row)
  const fresh = all.filter(isFresh)
  const places = body.limit - (body.aggregate && fresh.length > 0 ? 1 : 0)
  const ranking = besideEachOther(memories.filter(isFresh), chunks.filter(isFresh), places)
  const beside = await artifactsIn(request, artifacts, { isAlone: ranking.length === 0 })
  const best = withoutOutranked(ranking, beside.artifacts, places)
  const primary = await wholeRows(deps, request, best)
  const ranked = rankable.length + (documents?.found.length ?? 0)
  const leftOut = { belowCutOff: ranked - all.length, beyondLimit: fresh.length - best.length }
  const outranking = ranking.length - best.length
  const left = places - outranking
  const supplementary = await besideThem(deps, request, { primary, saved: found, confidence }, left)
  const taken = primary.length + supplementary.successors.length + supplementary.summaries.length
  const cards = await cardsIn(deps, request, paths, { free: left - taken, primary })
  const free = left - taken - cards.length
  return {
    primary,
    successors: supplementary.successors,
    summaries: supplementary.summaries,
    cards,
    artifacts: beside.artifacts.slice(0, outranking + free),
    artifactConfidence: beside.artifactConfidence,
    summed: body.aggregate ? await wholeRows(deps, request, fresh) : [],
    withheld: all.length - fresh.length,
    leftOut,
  }
}

/** Cards of the entities that the query names, in the places that are left (recall.md#entity-cards). */
async function cardsIn(
  deps: Deps,
  request: RecallRequest,
  paths: FoundPaths | undefined,
  { free, primary }: { free: number; primary: readonly Found[] },
): Promise<EntityCard[]> {
  const { graph, filter, report, body } = request
  if (!graph?.cards || !paths || free <= 0) return []
  const cards = await optional(deps, report, 'cards', () =>
    entityCards(deps, graph, paths, { filter, primary }),
  )
  const least = body.score_min ?? 0
  return (cards ?? []).filter(card => card.score >= least && !isWithheld(request, card)).slice(0, free)
}

/** Successors and saved summaries, in the places that are left. */
async function besideThem(
  deps: Deps,
  request: RecallRequest,
  {
    primary,
    saved: found,
    confidence,
  }: { primary: readonly Found[]; saved: readonly Judged[]; confidence: Confidence },
  places: number,
): Promise<Pick<Chosen, 'successors' | 'summaries'>> {
  const { body, boundary, report } = request
  const free = places - primary.length
  if (free === 0) return { successors: [], summaries: [] }
  const successors = await optional(deps, report, 'successors', () =>
    successorsOf(deps, primary, { ...request, limit: Math.min(free, weights.supplementary.successors) }),
  )
  const newer = (successors ?? []).filter(({ row }) => !isWithheld(request, row))
  const saved = relevant(
    found.filter(found => isSavedSummary(found.row) && !isWithheld(request, found)),
    confidence,
    body.score_min ?? undefined,
  )
  // A recall that makes a summary itself does not also bring a saved one.
  if (saved.length === 0 || body.aggregate) return { successors: newer, summaries: [] }
  const intact = await optional(deps, report, 'summaries', async () =>
    intactSummaries(deps, await wholeRows(deps, request, saved), boundary, body),
  )
  const room = Math.min(free - newer.length, weights.supplementary.savedSummaries)
  return { successors: newer, summaries: (intact ?? []).slice(0, room) }
}

/**
 * Artifacts of sources that fit, the best first: a few beside memories, as many as are wanted where no memory answers.
 * Where a project is named they only stand in for it (recall.md 1.3.10 and 1.3.12).
 */
async function artifactsIn(
  request: RecallRequest,
  artifacts: ArtifactsBeside | undefined,
  { isAlone }: { isAlone: boolean },
): Promise<Pick<Chosen, 'artifacts' | 'artifactConfidence'>> {
  const none = { artifacts: [], artifactConfidence: undefined }
  if (!artifacts || (!isAlone && request.filter.project !== undefined)) return none
  const ranking = await timed(request.report.timings, 'artifacts', () => artifacts({ areAlone: isAlone }))
  if (!ranking) return none
  const fitting = relevant(ranking.found, ranking.confidence, request.body.score_min ?? undefined)
  return {
    artifacts: fitting
      .filter(row => !isWithheld(request, row))
      .slice(0, isAlone ? undefined : weights.supplementary.artifacts),
    artifactConfidence: ranking.confidence,
  }
}

/**
 * The rows that keep their places beside artifacts, which are given what is free; where nothing is, the weakest rows
 * make room for those with a clearly higher score.
 */
export function withoutOutranked<Row extends { score: number }>(
  ranking: readonly Row[],
  artifacts: readonly { score: number }[],
  places: number,
): readonly Row[] {
  let kept = ranking.length
  let free = places - kept
  for (const { score } of artifacts) {
    if (free > 0) free--
    else if (kept > 0 && score > ranking[kept - 1]!.score + weights.artifacts.lead) kept--
    else break
  }
  return ranking.slice(0, kept)
}

function isWithheld({ body, ledger }: RecallRequest, { id }: { id: string }): boolean {
  return !body.includeRecalled && ledger?.recalled.has(id) === true
}

/** The best of both by score; chunks have their share of the places, and those that memories leave free. */
export function besideEachOther<Row extends { score: number }>(
  memories: readonly Row[],
  chunks: readonly Row[],
  places: number,
): Row[] {
  if (chunks.length === 0) return memories.slice(0, places)
  const room = Math.max(Math.ceil(places * weights.document.share), places - memories.length)
  return [...memories, ...chunks.slice(0, room)].sort(byStanding).slice(0, places)
}

/** What is equal keeps its order, memories before chunks. */
function byStanding(a: { score: number }, b: { score: number }): number {
  return b.score - a.score
}

/** Takes the rows for this session; what another recall took at the same moment is withheld here. */
export async function claimRows(
  deps: Deps,
  { body, ledger, report }: RecallRequest,
  chosen: Chosen,
): Promise<{ chosen: Chosen; claimed: Claim | undefined }> {
  if (!ledger) return { chosen, claimed: undefined }
  const rows = [
    ...chosen.primary,
    ...chosen.successors.map(({ row }) => row),
    ...chosen.summaries,
    ...chosen.cards,
    ...chosen.artifacts,
  ]
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
      successors: chosen.successors.filter(({ row }) => isFresh(row)),
      summaries: chosen.summaries.filter(isFresh),
      cards: chosen.cards.filter(isFresh),
      artifacts: chosen.artifacts.filter(isFresh),
      withheld: chosen.withheld + chosen.primary.length - primary.length,
    },
  }
}
