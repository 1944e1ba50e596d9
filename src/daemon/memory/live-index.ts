import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Store } from '../../store/database.js'
import { createMemoryIndex } from '../../store/index/create.js'
import type {
  IndexDocument,
  IndexFacts,
  IndexHits,
  IndexQuery,
  IndexStats,
  MemoryIndex,
} from '../../store/index/memory-index.js'
import type { IndexedMemory } from '../../store/tables/memories.js'
import type { VectorModel } from '../../store/tables/vectors.js'

/** The index with its life: built from SQLite in the background, kept up to date, replaced when the model changes. */
export interface LiveIndex {
  upsert(row: IndexedMemory, hints: readonly string[]): void
  /** Puts a row back with everything that is stored of it. */
  restore(row: IndexedMemory): Promise<void>
  setVector(id: string, vector: Float32Array): void
  remove(id: string): void
  search(query: IndexQuery): Promise<IndexHits>
  facts(id: string): IndexFacts | undefined
  stats(): IndexStats & { state: 'ready' | 'rebuilding' }
  /** Makes the index hold the vectors of this model; resolves once every stored row is in it. */
  use(model: VectorModel): Promise<void>
  /** Stops a rebuild at its next slice. */
  close(): void
}

interface Build {
  model: VectorModel
  index: MemoryIndex
  /** Rows that went away while older ones were still being read. */
  removed: Set<string>
  complete: boolean
}

const batchSize = 200
/** A slice of a rebuild holds the event loop no longer than this. */
const sliceMs = 10

export function createLiveIndex(store: Pick<Store, 'tables'>, log: Logger): LiveIndex {
  const state: { build: Build; closed: boolean } = {
    build: newBuild(store, { provider: 'none', model: 'none' }),
    closed: false,
  }
  return {
    upsert: (row, hints) => state.build.index.upsert(toDocument(row, hints)),
    restore: row => addRows(store, state.build, [row]),
    setVector: (id, vector) => setVector(state.build, id, vector, log),
    remove: id => {
      state.build.index.remove(id)
      if (!state.build.complete) state.build.removed.add(id)
    },
    search: async query => {
      const { build } = state
      const hits = await build.index.search(query)
      return build.complete || hits.vectorCompleteness === 'none'
        ? hits
        : { ...hits, vectorCompleteness: 'recent-window' }
    },
    facts: id => state.build.index.facts(id),
    stats: () => ({ ...state.build.index.stats(), state: state.build.complete ? 'ready' : 'rebuilding' }),
    use: async model => {
      const { build } = state
      if (build.complete && sameModel(build.model, model)) return
      const next = newBuild(store, model)
      state.build = next
      await rebuild(store, next, () => state.closed || state.build !== next)
    },
    close: () => {
      state.closed = true
    },
  }
}

function newBuild({ tables }: Pick<Store, 'tables'>, model: VectorModel): Build {
  const index = createMemoryIndex({ dimensions: null, loadVectors: ids => tables.vectors.of(ids, model) })
  return { model, index, removed: new Set(), complete: false }
}

function sameModel(a: VectorModel, b: VectorModel): boolean {
  return a.provider === b.provider && a.model === b.model
}

/** Newest rows first, so that what is asked for most is found first. */
async function rebuild(store: Pick<Store, 'tables'>, build: Build, stopped: () => boolean): Promise<void> {
  let before = (await store.tables.meta.lastChange()) + 1
  while (!stopped()) {
    const rows = await store.tables.memories.beforeChange(before, batchSize)
    const last = rows.at(-1)
    if (!last) break
    await addRows(store, build, rows)
    before = last.change
  }
  build.complete = !stopped()
  build.removed.clear()
}

async function addRows(
  { tables }: Pick<Store, 'tables'>,
  build: Build,
  rows: readonly IndexedMemory[],
): Promise<void> {
  const ids = rows.map(row => row.id)
  const [hints, vectors] = await Promise.all([tables.hints.of(ids), tables.vectors.of(ids, build.model)])
  let sliceStart = performance.now()
  for (const row of rows) {
    // What a request wrote or removed meanwhile is newer than what was read here.
    if (build.removed.has(row.id)) continue
    if (!build.index.has(row.id)) build.index.upsert(toDocument(row, hints.get(row.id) ?? []))
    const vector = vectors.get(row.id)
    if (vector) build.index.setVector(row.id, vector)
    if (performance.now() - sliceStart > sliceMs) {
      await nextTurn()
      sliceStart = performance.now()
    }
  }
}

/** A vector of another length is left out of the index: its row stays found by keyword. */
function setVector({ index }: Build, id: string, vector: Float32Array, log: Logger): void {
  try {
    index.setVector(id, vector)
  } catch (error) {
    log.warn({ err: error, memory: id }, 'vector does not fit the index')
  }
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
