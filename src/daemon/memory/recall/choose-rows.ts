import type { RecallBody } from '../../../contract/memory/memory.js'
import type { MemoryFilter, ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Candidates, Found } from './find-candidates.js'
import { optional } from './optional-steps.js'
import { relevant } from './ranking/relevance.js'
import type { StepReport } from './ranking/run-steps.js'
import { weights } from './ranking/weights.js'
import { type Claim, claim, type RecallLedger } from './recall-ledger.js'
import { intactSummaries, isSavedSummary } from './recall-summary-saved.js'
import { type SuccessorRow, successorsOf } from './successor-rows.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'log'>

/** One recall on its way. */
export interface RecallRequest {
  caller: Caller
  body: RecallBody
  boundary: ReadBoundary
  filter: MemoryFilter
  ledger: RecallLedger | undefined
  report: StepReport
}

/** What a recall gives back, before it is written as rows. */
export interface Chosen {
  primary: readonly Found[]
  successors: readonly SuccessorRow[]
  summaries: readonly Found[]
  /** Every relevant row that is not withheld: what a summary is made from. */
  fresh: readonly Found[]
  withheld: number
}

/**
 * The cut-off is computed over all found rows, withheld ones included: asking again gives the next rows, not weaker
 * ones.
 */
export async function chooseRows(
  deps: Deps,
  request: RecallRequest,
  { found, confidence, documents }: Pick<Candidates, 'found' | 'confidence' | 'documents'>,
): Promise<Chosen> {
  const { body, boundary, ledger, report } = request
  const scoreMin = body.score_min ?? undefined
  const isWithheld = ({ id }: { id: string }): boolean =>
    !body.includeRecalled && ledger?.recalled.has(id) === true
  const memories = relevant(
    found.filter(({ row }) => !isSavedSummary(row)),
    confidence,
    scoreMin,
  )
  const chunks = documents ? relevant(documents.found, documents.confidence, scoreMin) : []
  const all = [...memories, ...chunks].sort(byStanding)
  const fresh = all.filter(row => !isWithheld(row))
  const places = body.limit - (body.aggregate && fresh.length > 0 ? 1 : 0)
  const isFresh = (row: Found): boolean => !isWithheld(row)
  const primary = besideEachOther(memories.filter(isFresh), chunks.filter(isFresh), places)
  const free = places - primary.length
  const chosen = { primary, fresh, withheld: all.length - fresh.length, successors: [], summaries: [] }
  if (free === 0) return chosen
  const successors = await optional(deps, report, 'successors', () =>
    successorsOf(deps, primary, { ...request, limit: Math.min(free, weights.supplementary.successors) }),
  )
  const newer = (successors ?? []).filter(({ row }) => !isWithheld(row))
  const saved = relevant(
    found.filter(found => isSavedSummary(found.row) && !isWithheld(found)),
    confidence,
    scoreMin,
  )
  // A recall that makes a summary itself does not also bring a saved one.
  if (saved.length === 0 || body.aggregate) return { ...chosen, successors: newer }
  const intact = await optional(deps, report, 'summaries', () => intactSummaries(deps, saved, boundary, body))
  const summaries = (intact ?? []).slice(
    0,
    Math.min(free - newer.length, weights.supplementary.savedSummaries),
  )
  return { ...chosen, successors: newer, summaries }
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
  const rows = [...chosen.primary, ...chosen.successors.map(({ row }) => row), ...chosen.summaries]
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
      withheld: chosen.withheld + chosen.primary.length - primary.length,
    },
  }
}
