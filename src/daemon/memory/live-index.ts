import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Store } from '../../store/database.js'
import { createMemoryIndex, loadMemoryIndex } from '../../store/index/create.js'
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

/** The index with its life: read from its snapshot or built from SQLite in the background, kept up to date, saved. */
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
  /** Stops a rebuild at its next slice, or saves what is complete. */
  close(): Promise<void>
}

export interface LiveIndexOptions {
  store: Pick<Store, 'tables'>
  /** Where the snapshot is. */
  file: string
  log: Logger
}

interface Build {
  model: VectorModel
  index: MemoryIndex
  complete: boolean
  /** Change sequence of the newest snapshot. */
  saved: number
}

const batchSize = 200
/** A slice of a rebuild holds the event loop no longer than this. */
const sliceMs = 10
/** Changes are applied again from a little before the last known one: commits may reach the index in another order. */
const overlap = 100
const saveEveryMs = 60_000
const saveAfterChanges = 2000

export function createLiveIndex(options: LiveIndexOptions): LiveIndex {
  const { log } = options
  const state = { build: newBuild(options, { provider: 'none', model: 'none' }), closed: false }
  const stopped = (build: Build): boolean => state.closed || state.build !== build
  const saveTimer = setInterval(() => {
    if (state.build.index.stats().change - state.build.saved >= saveAfterChanges)
      void save(options, state.build)
  }, saveEveryMs).unref()
  return {
    upsert: (row, hints) => state.build.index.upsert(toDocument(row, hints)),
    restore: row => apply(options, state.build, [row]),
    setVector: (id, vector) => setVector(state.build, id, vector, log),
    remove: id => void state.build.index.remove(id),
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
      if (state.build.complete && sameModel(state.build.model, model)) return
      const build = newBuild(options, model)
      state.build = build
      await fill(options, build, () => stopped(build))
      if (!stopped(build)) await save(options, build)
    },
    close: async () => {
      state.closed = true
      clearInterval(saveTimer)
      await save(options, state.build)
    },
  }
}

function newBuild(options: LiveIndexOptions, model: VectorModel): Build {
  return { model, index: createMemoryIndex(indexOptions(options, model)), complete: false, saved: 0 }
}

function indexOptions({ store }: LiveIndexOptions, model: VectorModel) {
  return {
    dimensions: null,
    model: `${model.provider}/${model.model}`,
    loadVectors: (ids: readonly string[]) => store.tables.vectors.of(ids, model),
  }
}

function sameModel(a: VectorModel, b: VectorModel): boolean {
  return a.provider === b.provider && a.model === b.model
}

/** From the snapshot and what changed since; from SQLite alone when there is any doubt about the snapshot. */
async function fill(options: LiveIndexOptions, build: Build, stopped: () => boolean): Promise<void> {
  const { tables } = options.store
  if (await loadSnapshot(options, build)) {
    await catchUp(options, build, build.saved - overlap, stopped)
    if (stopped() || build.index.stats().documents === (await tables.memories.countAlive())) {
      build.complete = !stopped()
      return
    }
    options.log.warn('the index snapshot does not hold what the database holds; rebuilding')
    Object.assign(build, newBuild(options, build.model))
  }
  const start = await tables.meta.lastChange()
  await rebuild(options, build, start, stopped)
  await catchUp(options, build, start - overlap, stopped)
  build.complete = !stopped()
}

/** @returns whether the snapshot is now the index. What was written meanwhile comes in by catching up. */
async function loadSnapshot(options: LiveIndexOptions, build: Build): Promise<boolean> {
  try {
    build.index = await loadMemoryIndex(options.file, indexOptions(options, build.model))
    build.saved = build.index.stats().change
    return true
  } catch (error) {
    options.log.info(
      { reason: error instanceof Error ? error.message : String(error) },
      'no usable index snapshot',
    )
    return false
  }
}

/** Newest rows first, so that what is asked for most is found first. */
async function rebuild(
  options: LiveIndexOptions,
  build: Build,
  start: number,
  stopped: () => boolean,
): Promise<void> {
  let before = start + 1
  while (!stopped()) {
    const rows = await options.store.tables.memories.beforeChange(before, batchSize)
    const last = rows.at(-1)
    if (!last) return
    await apply(options, build, rows)
    before = last.change
  }
}

/** Applies every change after the given one, those of requests that came during the rebuild included. */
async function catchUp(
  options: LiveIndexOptions,
  build: Build,
  after: number,
  stopped: () => boolean,
): Promise<void> {
  let last = Math.max(0, after)
  while (!stopped()) {
    const rows = await options.store.tables.memories.afterChange(last, batchSize)
    const newest = rows.at(-1)
    if (!newest) return
    await apply(options, build, rows)
    last = newest.change
  }
}

/** The index itself ignores a row that is older than what it holds. */
async function apply(
  { store, log }: LiveIndexOptions,
  build: Build,
  rows: readonly IndexedMemory[],
): Promise<void> {
  const ids = rows.map(row => row.id)
  const [hints, vectors] = await Promise.all([
    store.tables.hints.of(ids),
    store.tables.vectors.of(ids, build.model),
  ])
  let sliceStart = performance.now()
  for (const row of rows) {
    if (row.is_deleted === 1) build.index.remove(row.id)
    else build.index.upsert(toDocument(row, hints.get(row.id) ?? []))
    const vector = vectors.get(row.id)
    if (vector && row.is_deleted === 0) setVector(build, row.id, vector, log)
    if (performance.now() - sliceStart > sliceMs) {
      await nextTurn()
      sliceStart = performance.now()
    }
  }
}

/** A snapshot only saves time: without one the next start rebuilds. */
async function save({ file, log }: LiveIndexOptions, build: Build): Promise<void> {
  const { change } = build.index.stats()
  if (!build.complete || change === build.saved) return
  try {
    await build.index.save(file)
    build.saved = change
  } catch (error) {
    log.warn({ err: error }, 'index snapshot not written')
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
