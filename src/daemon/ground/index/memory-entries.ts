import {
  holderLabels,
  type MemoryEntry,
  type MemoryEntryFilter,
  memories as memoryCollection,
} from '../../../store/index/collections.js'
import type { ReadAhead } from '../../../store/index/orama/read-ahead.js'
import { type ShardPlace, shardOf } from '../../../store/index/shards/shard-of.js'
import type { Store } from '../../../store/store.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { IndexedMemory } from '../../../store/tables/memory/memories.js'
import { chunkType } from '../../../store/tables/memory/memory-filter.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import { searchedText } from '../text/searched-text.js'
import type { IndexLog, SourceEntry } from './index-source.js'
import { createLiveIndex, type LiveShard } from './live-index.js'

/** The index of memories, kept current, in any thread. */
export type LiveMemories = LiveShard<IndexedMemory, MemoryEntry, MemoryEntryFilter>

export interface LiveMemoriesOptions {
  store: Pick<Store, 'tables'>
  /** Path of the snapshot. */
  file: string
  log: IndexLog
  ahead?: ReadAhead<MemoryEntry, MemoryEntryFilter> | undefined
  /** Only the memories of this shard. */
  shard?: ShardPlace | undefined
}

/** Creates the index of memories in this thread. */
export function createLiveMemories({ store, file, log, ahead, shard }: LiveMemoriesOptions): LiveMemories {
  const { memories, meta, vectors } = store.tables
  return createLiveIndex({
    collection: memoryCollection,
    file,
    log,
    ahead,
    source: {
      lastChange: meta.lastChange,
      countAlive: shard ? async () => undefined : memories.countAlive,
      beforeChange: memories.beforeChange,
      afterChange: memories.afterChange,
      entries: shard
        ? (rows, model) => entriesInShard(store, rows, model, shard)
        : (rows, model) => entriesOf(store, rows, model),
      loadVectors: vectors.of,
    },
  })
}

/** The rows of other shards are entries to remove: a row may have moved. */
async function entriesInShard(
  store: Pick<Store, 'tables'>,
  rows: readonly IndexedMemory[],
  model: VectorModel,
  { shard, of }: ShardPlace,
): Promise<SourceEntry<MemoryEntry>[]> {
  const isOwn = (row: IndexedMemory): boolean => shardOfRow(row, of) === shard
  const own = await entriesOf(store, rows.filter(isOwn), model)
  return [...own, ...rows.filter(row => !isOwn(row)).map(({ id }) => ({ id, entry: undefined }))]
}

/** The shard of a row, the same as that of its entry. */
export function shardOfRow(row: IndexedMemory, shards: number): number {
  return shardOf({ session: sessionOf(row), id: row.id }, shards)
}

async function entriesOf(
  { tables }: Pick<Store, 'tables'>,
  rows: readonly IndexedMemory[],
  model: VectorModel,
): Promise<SourceEntry<MemoryEntry>[]> {
  const ids = rows.map(row => row.id)
  const held = rows.filter(row => row.further_holders > 0).map(row => row.id)
  const [hints, vectors, holders] = await Promise.all([
    tables.hints.of(ids),
    tables.vectors.of(ids, model),
    tables.holders.of(held),
  ])
  return rows.map(row => ({
    id: row.id,
    entry: isHidden(row) ? undefined : toEntry(row, hints.get(row.id) ?? [], holders.get(row.id)),
    vector: vectors.get(row.id),
  }))
}

/** True if a row must not be indexed: it was forgotten, or its agent was removed. */
export function isHidden({
  is_deleted,
  visibility,
}: Pick<IndexedMemory, 'is_deleted' | 'visibility'>): boolean {
  return is_deleted === 1 || visibility === 'archived'
}

/** The session whose rows lend each other evidence. */
function sessionOf({ type, session_id, source_path, project }: IndexedMemory): string | null {
  // Chunks of a document have no neighbours in a session.
  const session = type === chunkType ? null : (session_id ?? source_path)
  // The same session name in two projects means two sessions.
  return session === null ? null : `${project ?? ''}\n${session}`
}

/** Builds the index entry of a row. @param holders all but the first, which the row contains. */
export function toEntry(
  row: IndexedMemory,
  hints: readonly string[],
  holders: readonly Holder[] = [],
): MemoryEntry {
  const isChunk = row.type === chunkType
  return {
    id: row.id,
    change: row.change,
    content: searchedText(row, hints),
    hints: isChunk ? [] : hints,
    type: row.type,
    tags: row.tags.split(',').filter(Boolean),
    who: row.who,
    project: row.project,
    scope: row.scope,
    agentId: row.agent_id,
    visibility: row.visibility,
    pinned: row.pinned === 1,
    importance: row.importance,
    createdAt: Date.parse(row.created_at),
    session: sessionOf(row),
    held: holders.length > 0 ? holderLabels(holders) : undefined,
  }
}
