import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import type { Entry } from '../../../store/index/collection.js'
import type { PackedHits } from '../../../store/index/packed/packed-hits.js'
import type { IndexQuery, IndexStats } from '../../../store/index/search.js'
import type { ShardSearch } from '../../../store/index/shards/shard.js'
import { sameModel, type VectorModel } from '../../../store/tables/memory/vectors.js'
import { type BuildOptions, IndexBuild } from './index-build.js'

export type LiveStats = IndexStats & {
  state: 'ready' | 'rebuilding'
  /** Change sequence of the newest snapshot; 0 without one. */
  saved: number
}

/** The result of comparing rows with the index: ids of rows whose entries differ. */
export interface IndexCheck {
  /** Number of rows compared. */
  rows: number
  /** Rows without an entry, with an outdated entry, or whose text now yields other words. */
  missing: string[]
  stale: string[]
  drifted: string[]
  /** Rows that must not be indexed but are. */
  strays: string[]
  /** Change after which the next rows begin; undefined at the end. */
  next: number | undefined
}

/** Parts of an index that can be checked separately. */
export type IndexPart = 'entries' | 'vectors'

/**
 * A self-maintaining index: loaded from its snapshot or built from SQLite in the background, kept current,
 * saved.
 */
export interface LiveIndex<Row, E extends Entry, Filter> {
  upsert(entry: E): void
  /** Indexes rows in their current state. The index ignores rows older than its own entries. */
  apply(rows: readonly Row[]): Promise<void>
  /** Indexes rows that were changed after a change, by anyone, in their current state. */
  catchUp(after: number): Promise<void>
  setVector(id: string, vector: Float32Array): void
  /** @param before removes the entry only if it is older than this change. */
  remove(id: string, before?: number): void
  /** Returns hits for `unpackHits`. Waits briefly while the index is loading. */
  search(query: IndexQuery<Filter>): Promise<PackedHits>
  stats(): Promise<LiveStats>
  /** Resolves once all earlier changes are indexed; await it between many changes. */
  settled(): Promise<void>
  /** Switches to the vectors of this model; resolves once every stored row is indexed. */
  use(model: VectorModel): Promise<void>
  /** Compares at most `limit` rows changed after `after` with their entries. */
  check(after: number, limit: number): Promise<IndexCheck>
  /** Returns the ids whose entry or vector is missing, without reading rows. */
  lacking(what: IndexPart, ids: readonly string[]): Promise<string[]>
  /** Rebuilds a complete index from SQLite; resolves once every stored row is indexed. */
  rebuild(): Promise<void>
  /** Writes a snapshot of a complete index. */
  save(): Promise<void>
  /** Stops a rebuild at its next slice. The index stays searchable but is no longer saved. */
  drop(): void
  /** Drops the index after a last snapshot. */
  close(): Promise<void>
}

/** A live index that may be one shard of several. */
export interface LiveShard<Row, E extends Entry, Filter> extends LiveIndex<Row, E, Filter> {
  /** Begins a search of this shard. Waits briefly while it is loading. */
  beginShard(filter: Filter | undefined): Promise<ShardSearch>
}

const noModel: VectorModel = { provider: 'none', model: 'none' }
const saveEveryMs = 60_000
const saveAfterChanges = 2000

export function createLiveIndex<Row extends { change: number }, E extends Entry, Filter>(
  options: BuildOptions<Row, E, Filter>,
): LiveShard<Row, E, Filter> {
  const life = new AbortController()
  const state = { build: new IndexBuild(options, noModel, life.signal) }
  // Searches run one at a time: in parallel they would need more memory and finish no earlier.
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
    catchUp: async after => void (await state.build.catchUp(after)),
    setVector: (id, vector) => state.build.setVector(id, vector),
    remove: (id, before) => removeFrom(state.build.index, id, before),
    search: query =>
      inLine(async () => {
        // Right after a start the index is complete within moments; an earlier answer would be wrong.
        const build = await openedBuild(state)
        const hits = await build.index.searchPacked(query)
        return build.complete ? hits : incomplete(hits)
      }),
    beginShard: async filter => (await openedBuild(state)).beginShard(filter),
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
      // Searches that were already possible continue, on the entries read so far.
      if (old.complete) build.open()
      state.build = build
      old.stop()
      await build.fill()
      if (!build.stopped.aborted) await build.save()
    },
    check: (after, limit) => checkRows(options, state.build, after, limit),
    lacking: async (what, ids) => lackingIn(state.build.index, what, ids),
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

/** @param before keeps an entry that is not older than this change. */
function removeFrom(
  index: { changeOf(id: string): number | undefined; remove(id: string): boolean },
  id: string,
  before = Number.POSITIVE_INFINITY,
): void {
  if ((index.changeOf(id) ?? before) < before) index.remove(id)
}

function lackingIn(
  index: { has(id: string): boolean; hasVector(id: string): boolean },
  what: IndexPart,
  ids: readonly string[],
): string[] {
  return ids.filter(id => !(what === 'vectors' ? index.hasVector(id) : index.has(id)))
}

/** Marks hits found while entries were missing. */
export function incomplete(hits: PackedHits): PackedHits {
  const { vectorCompleteness } = hits
  return {
    ...hits,
    complete: false,
    vectorCompleteness: vectorCompleteness === 'none' ? 'none' : 'recent-window',
  }
}

/** The current build, once it opened; repeats if another build replaced it. */
async function openedBuild<Build extends { opened: Promise<void> }>(state: { build: Build }): Promise<Build> {
  const { build } = state
  await build.opened
  return build === state.build ? build : openedBuild(state)
}

/** A build that is still filling already reads the current rows from SQLite. */
async function refill<Row extends { change: number }, E extends Entry, Filter>(
  build: IndexBuild<Row, E, Filter>,
): Promise<void> {
  if (!build.complete) return
  await build.refill()
  await build.save()
}

/** Recomputes the words of each row's text; vectors are not compared. */
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
