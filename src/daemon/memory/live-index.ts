import type { Logger } from 'pino'
import type { Store } from '../../store/database.js'
import type { IndexDocument, IndexHits, IndexQuery, IndexStats } from '../../store/index/memory-index.js'
import type { IndexedMemory } from '../../store/tables/memories.js'
import type { VectorModel } from '../../store/tables/vectors.js'
import { createLiveDocuments, type IndexEntry } from '../search/live-documents.js'

/** The index of memories with its life; see `LiveDocuments`. */
export interface LiveIndex {
  upsert(row: IndexedMemory, hints: readonly string[]): void
  /** Puts a row back with everything that is stored of it. */
  restore(row: IndexedMemory): Promise<void>
  setVector(id: string, vector: Float32Array): void
  remove(id: string): void
  search(query: IndexQuery): Promise<IndexHits>
  stats(): IndexStats & { state: 'ready' | 'rebuilding' }
  /** Makes the index hold the vectors of this model; resolves once every stored row is in it. */
  use(model: VectorModel): Promise<void>
  /** Stops a rebuild at its next slice, or saves what is complete. */
  close(): Promise<void>
}

export interface LiveIndexOptions {
  store: Pick<Store, 'tables'>
  /** Where the snapshot is. */
  file: string
  log: Logger
}

export function createLiveIndex({ store, file, log }: LiveIndexOptions): LiveIndex {
  const { memories, meta, vectors } = store.tables
  const live = createLiveDocuments<IndexedMemory>({
    file,
    log,
    source: {
      lastChange: meta.lastChange,
      countAlive: memories.countAlive,
      beforeChange: memories.beforeChange,
      afterChange: memories.afterChange,
      entries: (rows, model) => entriesOf(store, rows, model),
      loadVectors: vectors.of,
    },
  })
  return {
    upsert: (row, hints) => live.upsert(toDocument(row, hints)),
    restore: row => live.apply([row]),
    setVector: live.setVector,
    remove: live.remove,
    search: live.search,
    stats: live.stats,
    use: live.use,
    close: live.close,
  }
}

async function entriesOf(
  { tables }: Pick<Store, 'tables'>,
  rows: readonly IndexedMemory[],
  model: VectorModel,
): Promise<IndexEntry[]> {
  const ids = rows.map(row => row.id)
  const [hints, vectors] = await Promise.all([tables.hints.of(ids), tables.vectors.of(ids, model)])
  return rows.map(row => ({
    id: row.id,
    document: row.is_deleted === 1 ? undefined : toDocument(row, hints.get(row.id) ?? []),
    vector: vectors.get(row.id),
  }))
}

function toDocument(row: IndexedMemory, hints: readonly string[]): IndexDocument {
  const session = row.session_id ?? row.source_path
  return {
    id: row.id,
    change: row.change,
    content: row.content,
    hints,
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
  }
}
