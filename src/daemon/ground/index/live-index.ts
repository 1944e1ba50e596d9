import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import type { Entry } from '../../../store/index/collection.js'
import type { PackedHits } from '../../../store/index/packed/packed-hits.js'
import type { IndexQuery, IndexStats } from '../../../store/index/search.js'
import { sameModel, type VectorModel } from '../../../store/tables/memory/vectors.js'
import { type BuildOptions, IndexBuild } from './index-build.js'

export type LiveStats = IndexStats & {
  state: 'ready' | 'rebuilding'
  /** Change sequence that the newest snapshot holds; 0 without any. */
  saved: number
}

/** What a comparison of some rows with the index found: ids of those that stand there otherwise. */
export interface IndexCheck {
  /** Rows that were compared. */
  rows: number
  /** They are not there at all, as before a later change, or by other words than their text gives now. */
  missing: string[]
  stale: string[]
  drifted: string[]
  /** They are there and must not be. */
  strays: string[]
  /** Change behind which the next ones begin; undefined at the end. */
  next: number | undefined
}

/** What an index holds of a row. */
export type IndexPart = 'entries' | 'vectors'

/** An index with its life: read from its snapshot or built from SQLite in the background, kept up to date, saved. */
export interface LiveIndex<Row, E extends Entry, Filter> {
  upsert(entry: E): void
  /** Brings rows in as they are now. The index itself ignores one that is older than what it holds. */
  apply(rows: readonly Row[]): Promise<void>
  setVector(id: string, vector: Float32Array): void
  remove(id: string): void
  /** As `unpackHits` takes it. Waits a moment while the index is read. */
  search(query: IndexQuery<Filter>): Promise<PackedHits>
  stats(): Promise<LiveStats>
  /** Resolves once every change made before is in the index; await it between many changes. */
  settled(): Promise<void>
  /** Makes the index hold the vectors of this model; resolves once every stored row is in it. */
  use(model: VectorModel): Promise<void>
  /** Compares rows as they are now with what is held of them: at most `limit`, those that changed after `after`. */
  check(after: number, limit: number): Promise<IndexCheck>
  /** Of some ids those whose entry, or whose vector, is not there; no row is read for it. */
  lacking(what: IndexPart, ids: readonly string[]): Promise<string[]>
  /** Fills a complete index anew from SQLite; resolves once every stored row is in it. */
  rebuild(): Promise<void>
  /** Writes a snapshot of what is complete. */
  save(): Promise<void>
  /** Stops a rebuild at its next slice. What is in it goes on being searched, and is not saved any more. */
  drop(): void
  /** Drops it after a last snapshot. */
  close(): Promise<void>
}

const noModel: VectorModel = { provider: 'none', model: 'none' }
const saveEveryMs = 60_000
const saveAfterChanges = 2000

export function createLiveIndex<Row extends { change: number }, E extends Entry, Filter>(
  options: BuildOptions<Row, E, Filter>,
): LiveIndex<Row, E, Filter> {
  const life = new AbortController()
  const state = { build: new IndexBuild(options, noModel, life.signal) }
  // What came first is answered first anyway; side by side they would only hold each other's memory.
  const inLine = oneAtATime()
  const saveTimer = setInterval(() => {
    const { build } = state
    const isDue = build.index.stats().change - build.saved >= saveAfterChanges
    if (isDue || (options.forgets && build.hasGone)) void build.save()
  }, saveEveryMs).unref()
  const drop = (): void => {
    life.abort()
    clearInterval(saveTimer)
  }
  return {
    upsert: entry => state.build.index.upsert(entry),
    apply: rows => state.build.apply(rows),
    setVector: (id, vector) => state.build.setVector(id, vector),
    remove: id => void state.build.index.remove(id),
    search: query =>
      inLine(async () => {
        // Right after a start nothing but a moment is missing: an answer without it would be a wrong one.
        const build = await openedBuild(state)
        const hits = await build.index.searchPacked(query)
        return build.complete ? hits : incomplete(hits)
      }),
    stats: async () => ({
      ...state.build.index.stats(),
      state: state.build.complete ? 'ready' : 'rebuilding',
      saved: state.build.saved,
    }),
    settled: async () => undefined,
    use: async model => {
      const old = state.build
      if (old.complete && sameModel(old.model, model)) return
      const build = new IndexBuild(options, model, life.signal)
      // Where searches were answered they go on: from what is in it already.
      if (old.complete) build.open()
      state.build = build
      old.stop()
      await build.fill()
      if (!build.stopped.aborted) await build.save()
    },
    check: (after, limit) => checkRows(options, state.build, after, limit),
    lacking: async (what, ids) => {
      const { index } = state.build
      return ids.filter(id => !(what === 'vectors' ? index.hasVector(id) : index.has(id)))
    },
    rebuild: () => refill(state.build),
    save: () => state.build.save(),
    drop,
    close: async () => {
      drop()
      await state.build.save()
      await state.build.index.close()
    },
  }
}

/** What was found while entries were missing. */
function incomplete(hits: PackedHits): PackedHits {
  const { vectorCompleteness } = hits
  return {
    ...hits,
    complete: false,
    vectorCompleteness: vectorCompleteness === 'none' ? 'none' : 'recent-window',
  }
}

/** The build in force, once it was opened; another one may have begun meanwhile. */
async function openedBuild<Build extends { opened: Promise<void> }>(state: { build: Build }): Promise<Build> {
  const { build } = state
  await build.opened
  return build === state.build ? build : openedBuild(state)
}

/** One that is being filled becomes what SQLite holds anyway. */
async function refill<Row extends { change: number }, E extends Entry, Filter>(
  build: IndexBuild<Row, E, Filter>,
): Promise<void> {
  if (!build.complete) return
  await build.refill()
  await build.save()
}

/** The words of a text are made anew for it; its vector is not asked for. */
async function checkRows<Row extends { change: number }, E extends Entry, Filter>(
  { source }: Pick<BuildOptions<Row, E, Filter>, 'source'>,
  build: IndexBuild<Row, E, Filter>,
  after: number,
  limit: number,
): Promise<IndexCheck> {
  const rows = await source.afterChange(after, limit)
  const found: IndexCheck = {
    rows: 0,
    missing: [],
    stale: [],
    drifted: [],
    strays: [],
    next: rows.at(-1)?.change,
  }
  const breathe = everyFewMs()
  for (const { id, entry } of await source.entries(rows, noModel)) {
    const { index } = build
    const standing = entry ? index.compare(entry) : index.has(id) && 'strays'
    if (entry) found.rows++
    if (standing && standing !== 'same') found[standing].push(id)
    await breathe()
  }
  return found
}
