import type { z } from 'zod'
import type { Reply } from '../../../contract/api.js'
import type { ListFilter, listMemories as listEndpoint } from '../../../contract/memory/record.js'
import { firstHolder, type Holder } from '../../../store/tables/memory/holders.js'
import {
  isVisibleTo,
  type MemoryFilter,
  type ReadBoundary,
} from '../../../store/tables/memory/memory-filter.js'
import type { CountableMemory } from '../../../store/tables/memory/memory-lists.js'
import { readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { firstTold } from './holders.js'
import { toListed } from './record.js'

type Deps = Pick<Daemon, 'store'>

/** Memories newest first, with how many fit and how many there are (rules.md 4.4). */
export async function listMemories(
  { store }: Deps,
  caller: Caller,
  query: z.infer<typeof listEndpoint.query>,
): Promise<Reply<'GET /api/memories'>> {
  const { memories } = store.tables
  const boundary = await readBoundary({ store }, caller, query)
  const filter = { ...listFilter(query), ...(query.deleted && { deleted: true as const }) }
  const rows = await memories.listBriefly(boundary, filter, query)
  const holders = await visibleHolders({ store }, boundary, rows)
  const stats = await memories.counts(boundary, { chunks: false })
  const isAll = Object.keys(filter).length === 1 && filter.chunks === false
  return {
    memories: rows.map((row, position) => ({
      ...toListed(row),
      project: firstTold(row, holders[position] ?? []).shownAs.project,
      version: row.version,
    })),
    matching: isAll ? stats.total : (await memories.counts(boundary, filter)).total,
    stats,
  }
}

/** Chunks of documents are told only when they are asked for. */
export function listFilter(query: ListFilter): MemoryFilter {
  const { type, tags, project, who, heldBy: agent, safety, pinned, since, until } = query
  const wanted = { tags, project, who, agent, safety, pinned, since, until }
  return {
    ...(type ? { types: [type] } : { chunks: false }),
    ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)),
  }
}

/** By row the holders that the reader may know of, the first one first. */
export async function visibleHolders(
  { store }: Deps,
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
