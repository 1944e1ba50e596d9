import {
  holderLabels,
  type MemoryEntry,
  type MemoryEntryFilter,
  memories as memoryCollection,
} from '../../../store/index/collections/memories.js'
import type { ReadAhead } from '../../../store/index/orama/read-ahead.js'
import type { Store } from '../../../store/store.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { IndexedMemory } from '../../../store/tables/memory/memories.js'
import { chunkType } from '../../../store/tables/memory/memory-filter.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import { searchedText } from '../text/searched-text.js'
import type { IndexLog, SourceEntry } from './index-source.js'
import { createLiveIndex, type LiveIndex } from './live-index.js'

/** The index of memories, kept current, in any thread. */
export type LiveMemories = LiveIndex<IndexedMemory, MemoryEntry, MemoryEntryFilter>

export interface LiveMemoriesOptions {
  store: Pick<Store, 'tables'>
  /** Path of the snapshot. */
  file: string
  log: IndexLog
  ahead?: ReadAhead<MemoryEntry, MemoryEntryFilter> | undefined
}

/** Creates the index of memories in this thread. */
export function createLiveMemories({ store, file, log, ahead }: LiveMemoriesOptions): LiveMemories {
  const { memories, meta, vectors } = store.tables
  return createLiveIndex({
    collection: memoryCollection,
    file,
    log,
    ahead,
    source: {
      lastChange: meta.lastChange,
      countAlive: memories.countAlive,
      beforeChange: memories.beforeChange,
      afterChange: memories.afterChange,
      entries: (rows, model) => entriesOf(store, rows, model),
      loadVectors: vectors.of,
    },
  })
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

/** Builds the index entry of a row. @param holders all but the first, which the row contains. */
export function toEntry(
  row: IndexedMemory,
  hints: readonly string[],
  holders: readonly Holder[] = [],
): MemoryEntry {
  const isChunk = row.type === chunkType
  // Chunks of a document have no neighbours in a session.
  const session = isChunk ? null : (row.session_id ?? row.source_path)
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
    // The same session name in two projects means two sessions.
    session: session === null ? null : `${row.project ?? ''}\n${session}`,
    held: holders.length > 0 ? holderLabels(holders) : undefined,
  }
}
