import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Deferred, deferred } from '../../../lib/deferred.js'
import type { IndexDocument, IndexQuery, IndexStats } from '../../../store/index/memory-index.js'
import { createMemoryIndex, loadMemoryIndex } from '../../../store/index/orama/create.js'
import type { MemoryIndex } from '../../../store/index/orama/memory-index.js'
import type { PackedHits } from '../../../store/index/packed/packed-hits.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'

/** A row of the database as the index is to hold it. */
export interface IndexEntry {
  id: string
  /** Undefined for what the index must not hold. */
  document: IndexDocument | undefined
  vector?: Float32Array | undefined
}

/** Where the documents of an index come from. Rows are numbered by their last change. */
export interface IndexSource<Row extends { change: number }> {
  lastChange(): Promise<number>
  /** Rows that a complete index holds. */
  countAlive(): Promise<number>
  /** The newest before a change, newest first; rows that the index must not hold may be left out. */
  beforeChange(change: number, limit: number): Promise<Row[]>
  /** The oldest after a change, oldest first, with those that are gone. */
  afterChange(change: number, limit: number): Promise<Row[]>
  entries(rows: readonly Row[], model: VectorModel): Promise<IndexEntry[]>
  /** Exact vectors, by which the best of a quantised scan are scored again. */
  loadVectors?(ids: readonly string[], model: VectorModel): Promise<ReadonlyMap<string, Float32Array>>
  /** Hears of each snapshot that was written. */
  onSaved?(change: number): Promise<void>
}

/** What an index says of itself when nobody waits for it. */
export interface IndexLog {
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
}

export type LiveStats = IndexStats & { state: 'ready' | 'rebuilding' }

/** An index with its life: read from its snapshot or built from SQLite in the background, kept up to date, saved. */
export interface LiveDocuments<Row> {
  upsert(document: IndexDocument): void
  /** Brings rows in as they are now. The index itself ignores one that is older than what it holds. */
  apply(rows: readonly Row[]): Promise<void>
  setVector(id: string, vector: Float32Array): void
  remove(id: string): void
  /** As `unpackHits` takes it. Waits a moment while the index is read. */
  search(query: IndexQuery): Promise<PackedHits>
  stats(): Promise<LiveStats>
  /** Resolves once every change made before is in the index: who makes many waits for it now and then. */
  settled(): Promise<void>
  /** Makes the index hold the vectors of this model; resolves once every stored row is in it. */
  use(model: VectorModel): Promise<void>
  /** Writes a snapshot of what is complete. */
  save(): Promise<void>
  /** Stops a rebuild at its next slice. What is in it goes on being searched, and is not saved any more. */
  drop(): void
  /** Drops it after a last snapshot. */
  close(): Promise<void>
}

export interface LiveDocumentsOptions<Row extends { change: number }> {
  source: IndexSource<Row>
  /** Where the snapshot is. */
  file: string
  log: IndexLog
  /** A search waits so long for an index that is read from its snapshot; default 2000. */
  openMs?: number
  /** So long for one that is rebuilt; default 500. */
  rebuildOpenMs?: number
}

interface Build {
  model: VectorModel
  index: MemoryIndex
  complete: boolean
  /** Change sequence of the newest snapshot. */
  saved: number
  /** Resolved when it is complete, or has been filled for so long that searches go on without the rest. */
  opened: Deferred<void>
}

const batchSize = 200
/** A slice of a rebuild holds the event loop no longer than this. */
const sliceMs = 10
/** Changes are applied again from a little before the last known one: commits may reach the index in another order. */
const overlap = 100
/** From a snapshot an index is complete sooner. */
const defaultOpenMs = 2000
/** A small store is in the index by then, of a large one the newest rows; half of what a hook may take is left. */
const defaultRebuildOpenMs = 500
const saveEveryMs = 60_000
/** How often an index that was read is compared with a database that goes on changing. */
const maxLooks = 5
const saveAfterChanges = 2000

export function createLiveDocuments<Row extends { change: number }>(
  options: LiveDocumentsOptions<Row>,
): LiveDocuments<Row> {
  const { log } = options
  const state = { build: newBuild(options, { provider: 'none', model: 'none' }), closed: false }
  const stopped = (build: Build): boolean => state.closed || state.build !== build
  const saveTimer = setInterval(() => {
    if (state.build.index.stats().change - state.build.saved >= saveAfterChanges)
      void save(options, state.build)
  }, saveEveryMs).unref()
  const drop = (): void => {
    state.closed = true
    state.build.opened.resolve()
    clearInterval(saveTimer)
  }
  return {
    upsert: document => state.build.index.upsert(document),
    apply: rows => apply(options, state.build, rows),
    setVector: (id, vector) => setVector(state.build, id, vector, log),
    remove: id => void state.build.index.remove(id),
    search: async query => {
      // Right after a start nothing but a moment is missing: an answer without it would be a wrong one.
      const build = await openedBuild(state)
      const hits = await build.index.searchPacked(query)
      if (build.complete) return hits
      const { vectorCompleteness } = hits
      return {
        ...hits,
        complete: false,
        vectorCompleteness: vectorCompleteness === 'none' ? 'none' : 'recent-window',
      }
    },
    stats: async () => ({
      ...state.build.index.stats(),
      state: state.build.complete ? 'ready' : 'rebuilding',
    }),
    settled: async () => undefined,
    use: async model => {
      if (state.build.complete && sameModel(state.build.model, model)) return
      const build = newBuild(options, model)
      // Where searches were answered they go on: from what is in it already.
      if (state.build.complete) build.opened.resolve()
      state.build.opened.resolve()
      state.build = build
      await fill(options, build, () => stopped(build)).finally(build.opened.resolve)
      if (!stopped(build)) await save(options, build)
    },
    save: () => save(options, state.build),
    drop,
    close: async () => {
      drop()
      await save(options, state.build)
    },
  }
}

/** The build in force, once it was opened; another one may have begun meanwhile. */
async function openedBuild(state: { build: Build }): Promise<Build> {
  const { build } = state
  await build.opened.promise
  return build === state.build ? build : openedBuild(state)
}

function newBuild<Row extends { change: number }>(
  options: LiveDocumentsOptions<Row>,
  model: VectorModel,
): Build {
  const opened = deferred<void>()
  setTimeout(opened.resolve, options.openMs ?? defaultOpenMs).unref()
  return { model, index: createMemoryIndex(indexOptions(options, model)), complete: false, saved: 0, opened }
}

function indexOptions<Row extends { change: number }>(
  { source }: LiveDocumentsOptions<Row>,
  model: VectorModel,
) {
  return {
    dimensions: null,
    model: `${model.provider}/${model.model}`,
    loadVectors: async (ids: readonly string[]) =>
      (await source.loadVectors?.(ids, model)) ?? new Map<string, Float32Array>(),
  }
}

function sameModel(a: VectorModel, b: VectorModel): boolean {
  return a.provider === b.provider && a.model === b.model
}

/** From the snapshot and what changed since; from SQLite alone when there is any doubt about the snapshot. */
async function fill<Row extends { change: number }>(
  options: LiveDocumentsOptions<Row>,
  build: Build,
  stopped: () => boolean,
): Promise<void> {
  const { source } = options
  if (await loadSnapshot(options, build)) {
    if (await caughtUp(options, build, stopped)) {
      build.complete = !stopped()
      return
    }
    options.log.warn({}, 'the index snapshot does not hold what the database holds; rebuilding')
    Object.assign(build, { index: createMemoryIndex(indexOptions(options, build.model)), saved: 0 })
  }
  setTimeout(build.opened.resolve, options.rebuildOpenMs ?? defaultRebuildOpenMs).unref()
  const start = await source.lastChange()
  await rebuild(options, build, start, stopped)
  await catchUp(options, build, start - overlap, stopped)
  build.complete = !stopped()
}

/** @returns false when the index does not hold what the database holds. */
async function caughtUp<Row extends { change: number }>(
  options: LiveDocumentsOptions<Row>,
  build: Build,
  stopped: () => boolean,
): Promise<boolean> {
  // Another thread may write between the last change read and the count.
  let from = build.saved
  for (let looks = 0; looks < maxLooks; looks++) {
    from = await catchUp(options, build, from - overlap, stopped)
    if (stopped() || build.index.stats().documents === (await options.source.countAlive())) return true
  }
  return false
}

/** @returns whether the snapshot is now the index. What was written meanwhile comes in by catching up. */
async function loadSnapshot<Row extends { change: number }>(
  options: LiveDocumentsOptions<Row>,
  build: Build,
): Promise<boolean> {
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
async function rebuild<Row extends { change: number }>(
  options: LiveDocumentsOptions<Row>,
  build: Build,
  start: number,
  stopped: () => boolean,
): Promise<void> {
  let before = start + 1
  while (!stopped()) {
    const rows = await options.source.beforeChange(before, batchSize)
    const last = rows.at(-1)
    if (!last) return
    await apply(options, build, rows)
    before = last.change
  }
}

/** Applies every change after the given one, those of requests that came during the rebuild included. @returns the last one. */
async function catchUp<Row extends { change: number }>(
  options: LiveDocumentsOptions<Row>,
  build: Build,
  after: number,
  stopped: () => boolean,
): Promise<number> {
  let last = Math.max(0, after)
  while (!stopped()) {
    const rows = await options.source.afterChange(last, batchSize)
    const newest = rows.at(-1)
    if (!newest) break
    await apply(options, build, rows, ({ id, change }) => build.index.changeOf(id) === change)
    last = newest.change
  }
  return last
}

/** @param isKnown leaves a document that the index holds already as it is; its vector may be newer. */
async function apply<Row extends { change: number }>(
  { source, log }: LiveDocumentsOptions<Row>,
  build: Build,
  rows: readonly Row[],
  isKnown: (document: IndexDocument) => boolean = () => false,
): Promise<void> {
  const entries = await source.entries(rows, build.model)
  let sliceStart = performance.now()
  for (const { id, document, vector } of entries) {
    if (!document) build.index.remove(id)
    else if (!isKnown(document)) build.index.upsert(document)
    if (document && vector) setVector(build, id, vector, log)
    if (performance.now() - sliceStart > sliceMs) {
      await nextTurn()
      sliceStart = performance.now()
    }
  }
}

/** A snapshot only saves time: without one the next start rebuilds. */
async function save<Row extends { change: number }>(
  { source, file, log }: LiveDocumentsOptions<Row>,
  build: Build,
): Promise<void> {
  const { change } = build.index.stats()
  if (!build.complete || change === build.saved) return
  try {
    await build.index.save(file)
    build.saved = change
    await source.onSaved?.(change)
  } catch (error) {
    log.warn({ err: error }, 'index snapshot not written')
  }
}

/** A vector of another length is left out of the index: its row stays found by keyword. */
function setVector({ index }: Build, id: string, vector: Float32Array, log: IndexLog): void {
  try {
    index.setVector(id, vector)
  } catch (error) {
    log.warn({ err: error, memory: id }, 'vector does not fit the index')
  }
}
