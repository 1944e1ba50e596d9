import type { RecallBody } from '../../../contract/memory/memory.js'
import type { MemoryFilter, ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Found } from './hybrid-search.js'
import { type Claim, claim, type Ledger } from './ledger.js'
import { type Linked, successorsOf } from './linked.js'
import { relevant } from './ranking/relevance.js'
import type { StepReport } from './ranking/run-steps.js'
import { intactAggregates, isAggregate } from './saved-aggregate.js'
import { optional } from './stages.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'log'>

/** Successors and saved summaries that one recall adds at most. */
const maxLinked = 3
const maxSavedSummaries = 1

/** One recall on its way. */
export interface RecallRequest {
  caller: Caller
  body: RecallBody
  boundary: ReadBoundary
  filter: MemoryFilter
  ledger: Ledger | undefined
  report: StepReport
}

/** What a recall gives back, before it is written as rows. */
export interface Chosen {
  primary: readonly Found[]
  linked: readonly Linked[]
  summaries: readonly Found[]
  /** Every relevant row that is not withheld: what a summary is made from. */
  fresh: readonly Found[]
  withheld: number
}

/** The cut-off is that of all memories found: asking again gives the next of them, not weaker ones. */
export async function chooseRows(
  deps: Deps,
  request: RecallRequest,
  found: readonly Found[],
): Promise<Chosen> {
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
  // A recall that makes a summary of its own needs none of before.
  if (saved.length === 0 || body.aggregate) return { ...chosen, linked: newer }
  const intact = await optional(deps, report, 'summaries', () =>
    intactAggregates(deps, saved, boundary, body),
  )
  const summaries = (intact ?? []).slice(0, Math.min(free - newer.length, maxSavedSummaries))
  return { ...chosen, linked: newer, summaries }
}

/** Takes the rows for this session; what another recall took at the same moment is withheld here. */
export async function claimRows(
  deps: Deps,
  { body, ledger, report }: RecallRequest,
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
