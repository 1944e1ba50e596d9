import { type RecallTime, timeFacets } from '../../../../contract/memory/memory.js'
import type { RecallableMemory } from '../../../../store/tables/memory/memories.js'
import type { TimeFacet, TimeRange } from '../../../../store/tables/memory/memory-filter.js'
import type { CandidateSearch, SearchResult } from './candidates.js'
import { findCandidates } from './find-candidates.js'

type Deps = Parameters<typeof findCandidates>[0]

/** The result of a search in time, and whether it had to ignore the range. */
export interface TimeSearchResult extends SearchResult {
  relaxed: boolean
}

/**
 * Searches within the range of a `time` object (mcp.md 4.9). In mode auto, an empty range does not make the
 * answer empty: the search is repeated without it.
 */
export async function searchInTime(
  deps: Deps,
  request: CandidateSearch,
  time: RecallTime | null | undefined,
): Promise<TimeSearchResult> {
  const range = rangeOf(time)
  if (!range) return Object.assign(await findCandidates(deps, request), { relaxed: false })
  const inside = await findCandidates(deps, { ...request, filter: { ...request.filter, time: range } })
  const isEmpty = inside.rows.length === 0 && !inside.documents?.rows.length
  if (!isEmpty || time?.mode !== 'auto') return Object.assign(inside, { relaxed: false })
  return Object.assign(await findCandidates(deps, request), { relaxed: true })
}

/** Sorts rows by the requested time facets in mode timeline; otherwise keeps their order. */
export function inTimeOrder<T extends { row: RecallableMemory }>(
  rows: readonly T[],
  time: RecallTime | null | undefined,
): readonly T[] {
  if (time?.mode !== 'timeline') return rows
  const facets = time.facets ?? timeFacets
  return [...rows].sort((a, b) => (timeOf(a.row, facets) < timeOf(b.row, facets) ? -1 : 1))
}

function rangeOf(time: RecallTime | null | undefined): TimeRange | undefined {
  if (!time || (!time.start && !time.end && !time.facets)) return undefined
  return { start: time.start ?? undefined, end: time.end ?? undefined, facets: time.facets ?? timeFacets }
}

/** Prefers the time of the event over its observation, and that over the time it was recorded. */
function timeOf(row: RecallableMemory, facets: readonly TimeFacet[]): string {
  const times: Record<TimeFacet, string | null> = {
    occurred: row.occurred_at,
    observed: row.observed_at,
    source: row.source_created_at,
    valid: row.valid_from,
    session: row.session_id && row.created_at,
    captured: row.created_at,
  }
  const wanted = (Object.keys(times) as TimeFacet[]).filter(facet => facets.includes(facet))
  return wanted.map(facet => times[facet]).find(Boolean) ?? row.created_at
}
