import type { RecallableMemory } from '../../../../store/tables/memory/memories.js'
import type { MemoryFilter, ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { type Confidence, keepRelevant } from '../ranking/confidence.js'
import { weights } from '../ranking/weights.js'
import type {
  ArtifactRow,
  AuthorizedRow,
  RankArtifacts,
  RecallRequest,
  SearchResult,
} from '../search/candidates.js'
import type { QueryPaths } from '../search/find-paths.js'
import { optional, timed } from '../search/optional-steps.js'
import { isSavedSummary, keepIntactSummaries } from '../summary/saved-summary.js'
import { type EntityCard, entityCards } from './cards.js'
import { type Claim, claimIds } from './ledger.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'log'>

/** The rows that a recall returns, before they are converted for the reply. */
export interface Selection {
  primary: readonly AuthorizedRow[]
  successors: readonly SuccessorRow[]
  summaries: readonly AuthorizedRow[]
  cards: readonly EntityCard[]
  artifacts: readonly ArtifactRow[]
  /** Confidence of the artifact ranking; undefined when no artifacts were ranked. */
  artifactConfidence: Confidence | undefined
  /** Every relevant row that is not withheld, when a summary is requested. */
  summed: readonly AuthorizedRow[]
  withheld: number
  /** Memories and chunks found but not returned, by reason. */
  leftOut: { belowCutOff: number; beyondLimit: number }
  /** Passages of documents that answer and are not returned. */
  passagesLeft: number
}

/** A successor of a ranked row. */
export interface SuccessorRow {
  row: RecallableMemory
  /** The row that it replaced, directly or in several steps. */
  from: AuthorizedRow
}

/**
 * Chooses the rows to return. The cut-off is computed over all found rows, withheld ones included, so
 * repeating the recall returns the next rows and not weaker ones.
 */
export async function chooseRows(
  deps: Deps,
  request: RecallRequest,
  {
    rows,
    confidence,
    documents,
    artifacts,
    paths,
  }: Pick<SearchResult, 'rows' | 'confidence' | 'documents' | 'artifacts' | 'paths'>,
): Promise<Selection> {
  const { body } = request
  const scoreMin = body.score_min ?? undefined
  const memoryRows = rows.filter(({ row }) => !isSavedSummary(row))
  const memories = keepRelevant(memoryRows, confidence, scoreMin)
  const chunks = documents ? keepRelevant(documents.rows, documents.confidence, scoreMin) : []
  const all = chunks.length === 0 ? memories : [...memories, ...chunks].sort(byScore)
  const isFresh = (row: AuthorizedRow): boolean => !isWithheld(request, row)
  const fresh = all.filter(isFresh)
  const places = body.limit - (body.aggregate && fresh.length > 0 ? 1 : 0)
  const answering = memories.filter(isFresh).slice(0, places)
  const isAlone = answering.length === 0
  const beside = await chooseArtifacts(request, artifacts, { isAlone })
  const passages = choosePassages(
    { chunks: chunks.filter(isFresh), artifacts: beside.artifacts },
    { isAlone, places: places - answering.length },
  )
  const primary = [...answering, ...passages.chunks]
  const ranked = memoryRows.length + (documents?.rows.length ?? 0)
  const leftOut = { belowCutOff: ranked - all.length, beyondLimit: fresh.length - primary.length }
  const supplementary = await chooseSupplementary(deps, request, { primary, rows, confidence }, places)
  const taken = primary.length + supplementary.successors.length + supplementary.summaries.length
  const cards = await chooseCards(deps, request, paths, { free: places - taken, primary })
  const free = places - taken - cards.length
  return {
    primary,
    successors: supplementary.successors,
    summaries: supplementary.summaries,
    cards,
    artifacts: passages.artifacts.slice(0, free),
    artifactConfidence: beside.artifactConfidence,
    summed: body.aggregate ? fresh : [],
    withheld: all.length - fresh.length,
    leftOut,
    passagesLeft: chunks.filter(isFresh).length - passages.chunks.length,
  }
}

/** Cards of entities that the query names, in the free places (recall.md#entity-cards). */
async function chooseCards(
  deps: Deps,
  request: RecallRequest,
  paths: QueryPaths | undefined,
  { free, primary }: { free: number; primary: readonly AuthorizedRow[] },
): Promise<EntityCard[]> {
  const { graph, filter, report, body } = request
  if (!graph?.cards || !paths || free <= 0) return []
  const cards = await optional(deps, report, 'cards', () =>
    entityCards(deps, graph, paths, { filter, primary }),
  )
  const least = body.score_min ?? 0
  return (cards ?? []).filter(card => card.score >= least && !isWithheld(request, card)).slice(0, free)
}

/** Successors and saved summaries, in the free places. */
async function chooseSupplementary(
  deps: Deps,
  request: RecallRequest,
  {
    primary,
    rows,
    confidence,
  }: { primary: readonly AuthorizedRow[]; rows: readonly AuthorizedRow[]; confidence: Confidence },
  places: number,
): Promise<Pick<Selection, 'successors' | 'summaries'>> {
  const { body, boundary, report } = request
  const free = places - primary.length
  if (free === 0) return { successors: [], summaries: [] }
  const successors = await optional(deps, report, 'successors', () =>
    successorsOf(deps, primary, { ...request, limit: Math.min(free, weights.supplementary.successors) }),
  )
  const newer = (successors ?? []).filter(({ row }) => !isWithheld(request, row))
  const saved = keepRelevant(
    rows.filter(ranked => isSavedSummary(ranked.row) && !isWithheld(request, ranked)),
    confidence,
    body.score_min ?? undefined,
  )
  // A recall that makes a summary does not return a saved one too.
  if (saved.length === 0 || body.aggregate) return { successors: newer, summaries: [] }
  const intact = await optional(deps, report, 'summaries', () =>
    keepIntactSummaries(deps, saved, boundary, body),
  )
  const room = Math.min(free - newer.length, weights.supplementary.savedSummaries)
  return { successors: newer, summaries: (intact ?? []).slice(0, room) }
}

/**
 * Artifacts above the cut-off, best first. With a project filter they only replace missing memories
 * (recall.md 1.3.10 and 1.3.12).
 */
async function chooseArtifacts(
  request: RecallRequest,
  artifacts: RankArtifacts | undefined,
  { isAlone }: { isAlone: boolean },
): Promise<Pick<Selection, 'artifacts' | 'artifactConfidence'>> {
  const none = { artifacts: [], artifactConfidence: undefined }
  if (!artifacts || (!isAlone && request.filter.project !== undefined)) return none
  const ranking = await timed(request.report.timings, 'artifacts', () => artifacts({ areAlone: isAlone }))
  if (!ranking) return none
  const fitting = keepRelevant(ranking.rows, ranking.confidence, request.body.score_min ?? undefined)
  return {
    artifacts: fitting.filter(row => !isWithheld(request, row)),
    artifactConfidence: ranking.confidence,
  }
}

function isWithheld({ body, ledger }: RecallRequest, { id }: { id: string }): boolean {
  return !body.includeRecalled && ledger?.recalled.has(id) === true
}

/**
 * Chooses passages of documents and of sources for the places behind the memories that answer: the best
 * three, or as many as fit if no memory answers (recall.md 1.3.10).
 */
export function choosePassages<Chunk extends { score: number }, Artifact extends { score: number }>(
  { chunks, artifacts }: { chunks: readonly Chunk[]; artifacts: readonly Artifact[] },
  { isAlone, places }: { isAlone: boolean; places: number },
): { chunks: Chunk[]; artifacts: Artifact[] } {
  const room = isAlone ? places : Math.min(places, weights.supplementary.passages)
  const best = new Set<object>([...chunks, ...artifacts].sort(byScore).slice(0, room))
  return { chunks: chunks.filter(row => best.has(row)), artifacts: artifacts.filter(row => best.has(row)) }
}

/** Rows with equal scores keep their order, memories before chunks. */
function byScore(a: { score: number }, b: { score: number }): number {
  return b.score - a.score
}

/** Claims the rows for this session; rows that a concurrent recall claimed are withheld. */
export async function claimRows(
  deps: Deps,
  { body, ledger, report }: RecallRequest,
  selection: Selection,
): Promise<{ selection: Selection; claim: Claim | undefined }> {
  if (!ledger) return { selection, claim: undefined }
  const rows = [
    ...selection.primary,
    ...selection.successors.map(({ row }) => row),
    ...selection.summaries,
    ...selection.cards,
    ...selection.artifacts,
  ]
  const claim = await optional(deps, report, 'claim', () =>
    claimIds(
      deps,
      ledger.session,
      rows.map(({ id }) => id),
    ),
  )
  if (!claim || body.includeRecalled) return { selection, claim }
  const isFresh = ({ id }: { id: string }): boolean => claim.fresh.has(id)
  const primary = selection.primary.filter(isFresh)
  return {
    claim,
    selection: {
      ...selection,
      primary,
      successors: selection.successors.filter(({ row }) => isFresh(row)),
      summaries: selection.summaries.filter(isFresh),
      cards: selection.cards.filter(isFresh),
      artifacts: selection.artifacts.filter(isFresh),
      withheld: selection.withheld + selection.primary.length - primary.length,
    },
  }
}

/**
 * Returns the successors of superseded rows, one each: the newest of the chain that the reader may see. Rows
 * already in the ranking are left out (recall.md 1.3.10).
 */
async function successorsOf(
  { store }: Pick<Daemon, 'store'>,
  rows: readonly AuthorizedRow[],
  { boundary, filter, limit }: { boundary: ReadBoundary; filter: MemoryFilter; limit: number },
): Promise<SuccessorRow[]> {
  const { memories } = store.tables
  const known = new Set(rows.map(({ id }) => id))
  const successors: SuccessorRow[] = []
  for (const from of rows) {
    if (successors.length >= limit) break
    if (from.row.superseded_by === null) continue
    const newestFirst = (await memories.successors(from.id)).slice(1).reverse()
    const visible = await memories.authorize(newestFirst, boundary, filter)
    const newest = newestFirst.find(id => visible.has(id))
    if (newest === undefined || known.has(newest)) continue
    known.add(newest)
    for (const row of await memories.loadRecallable([newest], boundary, filter))
      successors.push({ row, from })
  }
  return successors
}
