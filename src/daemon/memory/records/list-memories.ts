import type { z } from 'zod'
import type { Reply } from '../../../contract/api.js'
import {
  facetNames,
  type ListFilter,
  type listMemories as listEndpoint,
  type MemoryCountsReply,
} from '../../../contract/memory/record.js'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { dayMs } from '../../../lib/time/time.js'
import { firstHolder, type Holder } from '../../../store/tables/memory/holders.js'
import {
  isVisibleTo,
  type MemoryFilter,
  type ReadBoundary,
} from '../../../store/tables/memory/memory-filter.js'
import type { CountableMemory } from '../../../store/tables/memory/memory-lists.js'
import type { Projects } from '../../ground/projects/projects.js'
import { nearOf, readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { shownHolder } from './holders.js'
import { toListedMemory } from './record.js'

type Deps = Pick<Daemon, 'store' | 'projects' | 'clock'>

/** Lists memories in the order asked for, with the number of matches and totals (rules.md 4.4). */
export async function listMemories(
  deps: Deps,
  caller: Caller,
  query: z.infer<typeof listEndpoint.query>,
): Promise<Reply<'GET /api/memories'>> {
  const { memories } = deps.store.tables
  const boundary = await readBoundary(deps, caller, query)
  const filter = {
    ...listFilter(query),
    ...(await nearOf(deps, caller, query)),
    ...(query.unusedDays !== undefined && (await unusedFor(deps, query.unusedDays))),
    ...(query.current && { superseded: false as const }),
    ...(query.expired && { expiredBy: deps.clock().toISOString() }),
    ...(query.deleted && { deleted: true as const }),
  }
  const rows = await memories.listBriefly(boundary, filter, query)
  const holders = await visibleHolders(deps, boundary, rows)
  const stats = await memories.counts(boundary, { chunks: false })
  const isAll = Object.keys(filter).length === 1 && filter.chunks === false
  return {
    memories: rows.map((row, position) => ({
      ...toListedMemory(row),
      project: shownHolder(row, holders[position] ?? []).shownAs.project,
      version: row.version,
    })),
    matching: isAll ? stats.total : (await memories.counts(boundary, filter)).total,
    stats,
  }
}

/** Recalls of the last minutes are in a log, which has few of them. */
async function unusedFor(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  days: number,
): Promise<Pick<MemoryFilter, 'unusedSince' | 'except' | 'pinned' | 'superseded'>> {
  const unusedSince = new Date(clock().getTime() - days * dayMs).toISOString()
  const except = await store.tables.accesses.loggedIds()
  return { unusedSince, except, pinned: false, superseded: false }
}

/** Chunks of documents are listed only on request. */
function listFilter(query: ListFilter): MemoryFilter {
  const { type, heldBy: agent, ...others } = query
  const { tags, project, branch, who, safety, pinned, since, until, sessionId, kind } = others
  const wanted = { tags, project, branch, who, agent, safety, pinned, since, until, sessionId, kind }
  return {
    ...(type ? { types: type } : { chunks: false }),
    ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)),
  }
}

/** For each row, the holders visible to the reader, first holder first. */
async function visibleHolders(
  { store }: Pick<Daemon, 'store'>,
  boundary: ReadBoundary,
  rows: readonly Pick<
    CountableMemory,
    'id' | 'further_holders' | keyof Omit<Holder, 'held_at'> | 'created_at'
  >[],
): Promise<Holder[][]> {
  const shared = rows.filter(row => row.further_holders > 0).map(({ id }) => id)
  const further = await store.tables.holders.of(shared)
  return rows.map(row =>
    [firstHolder(row), ...(further.get(row.id) ?? [])].filter(holder => isVisibleTo(boundary, holder)),
  )
}

/** Rows per statement: a few milliseconds. */
const slice = 2000
/** Maximum values per facet. */
const maxValues = 50
const maxWeeks = 53

type Facet = (typeof facetNames)[number]
type Tally = Map<string, number>

/**
 * Counts the memories that a reader may see, by every filter of lists. Rows come from an index only, in
 * slices, so other work continues: 100,000 rows take some tenths of a second.
 */
export async function countMemories(
  deps: Deps,
  caller: Caller,
  query: ListFilter,
): Promise<MemoryCountsReply> {
  const { store, projects } = deps
  const boundary = await readBoundary(deps, caller, query)
  const filter = { ...listFilter(query), ...(await nearOf(deps, caller, query)) }
  const tallies = Object.fromEntries(facetNames.map(name => [name, new Map()])) as Record<Facet, Tally>
  const weeks = new Map<string, Tally>()
  const breathe = everyFewMs()
  let total = 0
  for (let after: CountableMemory | undefined; ; ) {
    const rows = await store.tables.memories.countable(boundary, filter, { after, limit: slice })
    const holders = await visibleHolders(deps, boundary, rows)
    for (const [position, row] of rows.entries()) {
      count(tallies, row, inOneProject(holders[position] ?? [], projects))
      noteWeek(weeks, row)
    }
    total += rows.length
    if (rows.length < slice) break
    after = rows.at(-1)
    await breathe()
  }
  return {
    total,
    by: Object.fromEntries(
      facetNames.map(name => [name, facetCounts(tallies[name])]),
    ) as MemoryCountsReply['by'],
    weeks: [...weeks]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(-maxWeeks)
      .map(([week, types]) => ({ week, types: Object.fromEntries(types) })),
  }
}

/** Holders with the canonical key of their project, since rows keep the key under which they were saved. */
function inOneProject(holders: readonly Holder[], projects: Pick<Projects, 'canonical'>): Holder[] {
  return holders.map(holder =>
    holder.project === null ? holder : { ...holder, project: projects.canonical(holder.project) },
  )
}

/** A memory with several holders in one project, or one agent in several projects, counts once. */
function count(tallies: Record<Facet, Tally>, row: CountableMemory, holders: readonly Holder[]): void {
  add(tallies.type, row.type)
  add(tallies.safety, row.safety_status)
  add(tallies.pinned, row.pinned === 1 ? 'true' : 'false')
  if (row.who !== null) add(tallies.who, row.who)
  if (row.tags !== '') for (const tag of new Set(row.tags.split(','))) add(tallies.tag, tag)
  for (const agent of new Set(holders.map(({ agent_id }) => agent_id))) add(tallies.agent, agent)
  for (const project of new Set(holders.map(holder => holder.project)))
    if (project !== null) add(tallies.project, project)
}

function noteWeek(weeks: Map<string, Tally>, { created_at, type }: CountableMemory): void {
  const at = Date.parse(created_at)
  // The epoch began on a Thursday, three days after a Monday.
  const days = Math.floor(at / dayMs)
  const monday = new Date((days - ((days + 3) % 7)) * dayMs).toISOString().slice(0, 10)
  const types = weeks.get(monday) ?? new Map<string, number>()
  weeks.set(monday, types)
  add(types, type)
}

function add(tally: Tally, value: string): void {
  tally.set(value, (tally.get(value) ?? 0) + 1)
}

function facetCounts(tally: Tally): MemoryCountsReply['by'][Facet] {
  const values = [...tally]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  return { values: values.slice(0, maxValues), more: Math.max(0, values.length - maxValues) }
}
