import { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import type { Collection, Entry } from '../collection.js'
import { PackedIndex, type SearchIndexOptions } from '../orama/packed-index.js'
import type { SearchIndex, Standing } from '../orama/search-index.js'
import { type FoundHits, type PackedHits, unpackHits } from '../packed/packed-hits.js'
import type { IndexQuery, IndexStats } from '../search.js'
import { SnapshotError } from '../snapshot/frames.js'
import { sealRows } from './seal.js'
import { SealedSegments } from './sealed-segments.js'
import { searchParts } from './search-parts.js'
import { tidySegments } from './tidy.js'

/** Where a collection that may be larger than memory is sealed. */
export interface Sealing {
  /** The file of its segments. */
  segments: string
  /** So many entries in memory become a segment. */
  sealFrom: number
  /** Hears of a segment that could not be written. */
  onFault(error: unknown): void
  /** Entries that go leave their words in a segment for so long; default 30,000. */
  tidyAfterMs?: number
}

export type SegmentedOptions = SearchIndexOptions & Sealing

const defaultTidyAfterMs = 30_000

/**
 * `SearchIndex` by words alone whose memory does not grow with what it holds: the newest entries are a packed index in
 * memory, and whenever these are many they are sealed, a segment on the disk. A word counts by all entries, so that
 * the ranks are those of one index in memory.
 */
export class SegmentedIndex<E extends Entry, Filter> implements SearchIndex<E, Filter> {
  readonly #collection: Collection<E, Filter>
  readonly #options: SegmentedOptions
  readonly #sealed: SealedSegments
  readonly #budget = new LoopBudget()
  readonly #oneAtATime = oneAtATime()
  /** The last one takes entries; those before it are to be sealed. */
  #parts: PackedIndex<E, Filter>[]
  /** Entries of the part that is being sealed that are gone meanwhile. */
  #gone: Set<string> | undefined
  #tidying: NodeJS.Timeout | undefined
  #closed = false

  constructor(collection: Collection<E, Filter>, options: SegmentedOptions) {
    this.#collection = collection
    this.#options = options
    this.#sealed = new SealedSegments(options.segments, collection.schema)
    this.#parts = [this.#emptyPart()]
  }

  upsert(entry: E): void {
    const known = this.changeOf(entry.id)
    if (known !== undefined && known > entry.change) return
    if (known !== undefined && !this.#newest.has(entry.id)) this.remove(entry.id)
    this.#newest.upsert(entry)
    if (this.#newest.stats().entries < this.#options.sealFrom) return
    this.#parts.push(this.#emptyPart())
    void this.#seal()
  }

  /** Nothing of it has vectors. */
  setVector(): void {}

  remove(id: string): boolean {
    for (const part of this.#parts) {
      if (!part.has(id)) continue
      if (part !== this.#parts[0] || !this.#gone) return part.remove(id)
      if (this.#gone.has(id)) continue
      this.#gone.add(id)
      return true
    }
    const isRemoved = this.#sealed.drop(id)
    if (isRemoved) this.#tidySoon()
    return isRemoved
  }

  has(id: string): boolean {
    return this.changeOf(id) !== undefined
  }

  changeOf(id: string): number | undefined {
    for (const part of this.#parts) {
      const change = part === this.#parts[0] && this.#gone?.has(id) ? undefined : part.changeOf(id)
      if (change !== undefined) return change
    }
    return this.#sealed.changeOf(id)
  }

  /** What is sealed is compared by its change alone. */
  compare(entry: E): Standing {
    const part = this.#parts.find((one, at) => one.has(entry.id) && !(at === 0 && this.#gone?.has(entry.id)))
    if (part) return part.compare(entry)
    const sealed = this.#sealed.changeOf(entry.id)
    if (sealed === undefined) return 'missing'
    return sealed < entry.change ? 'stale' : 'same'
  }

  hasVector(): boolean {
    return false
  }

  async search(query: IndexQuery<Filter>): Promise<FoundHits> {
    return unpackHits(await this.searchPacked(query))
  }

  searchPacked(query: IndexQuery<Filter>): Promise<PackedHits> {
    return searchParts(
      {
        parts: this.#parts.map(({ rows }) => rows),
        sealed: this.#sealed,
        isGone: id => this.#gone?.has(id) === true && !this.#parts.slice(1).some(part => part.has(id)),
      },
      { ...query, where: this.#collection.where(query.filter) },
      this.#budget.begin(),
    )
  }

  stats(): IndexStats {
    const stats = this.#parts.map(part => part.stats())
    const sum = (of: (one: IndexStats) => number): number => stats.reduce((total, one) => total + of(one), 0)
    return {
      entries: sum(({ entries }) => entries) - (this.#gone?.size ?? 0) + this.#sealed.entries,
      vectors: 0,
      terms: sum(({ terms }) => terms),
      bytes: sum(({ bytes }) => bytes),
      change: Math.max(this.#sealed.change, ...stats.map(({ change }) => change)),
    }
  }

  /** Writes what is not sealed. @throws Error while a segment can't be written. */
  async save(file: string): Promise<number> {
    await this.#seal()
    if (this.#parts.length > 1) throw new Error('a segment of the index can not be written')
    return this.#newest.save(file)
  }

  /**
   * Fills this index, which must be empty, from its segments and the snapshot of what was not sealed.
   * @throws SnapshotError when there is neither.
   */
  async load(file: string): Promise<void> {
    const hasSegments = this.#sealed.open()
    try {
      await this.#newest.load(file)
    } catch (error) {
      if (!hasSegments || !(error instanceof SnapshotError)) throw error
      // What it held is read from the record of truth again, as is all that came after the last segment.
      this.#parts = [this.#emptyPart()]
    }
    const { rows } = this.#newest
    for (let row = 0; row < rows.columns.end; row++) {
      await this.#budget.breathe()
      if (rows.columns.live[row] === 1) this.#settle(rows.ids.of(row))
    }
    this.#tidySoon()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#tidying)
    await this.#oneAtATime(async () => this.#sealed.close())
  }

  get #newest(): PackedIndex<E, Filter> {
    return this.#parts.at(-1) as PackedIndex<E, Filter>
  }

  #emptyPart(): PackedIndex<E, Filter> {
    return new PackedIndex(this.#collection, this.#options)
  }

  /** An entry that the snapshot holds may have been sealed since. */
  #settle(id: string): void {
    const sealed = this.#sealed.changeOf(id)
    if (sealed === undefined) return
    if (sealed >= (this.#newest.changeOf(id) as number)) this.#newest.remove(id)
    else this.#sealed.drop(id)
  }

  /** Seals all parts but the newest; one that can't be stays in memory, and is tried with the next. */
  #seal(): Promise<void> {
    return this.#oneAtATime(async () => {
      while (this.#parts.length > 1 && !this.#closed) {
        const [part] = this.#parts as [PackedIndex<E, Filter>]
        this.#gone = new Set()
        try {
          await sealRows(this.#sealed, part.rows, this.#budget)
          this.#parts.shift()
          for (const id of this.#gone) this.#sealed.drop(id)
        } catch (error) {
          for (const id of this.#gone) part.remove(id)
          this.#options.onFault(error)
          return
        } finally {
          this.#gone = undefined
        }
      }
    })
  }

  #tidySoon(): void {
    if (this.#closed || this.#tidying || this.#sealed.kept === this.#sealed.entries) return
    this.#tidying = setTimeout(() => {
      this.#tidying = undefined
      void this.#oneAtATime(() => tidySegments(this.#sealed, this.#budget)).catch(this.#options.onFault)
    }, this.#options.tidyAfterMs ?? defaultTidyAfterMs).unref()
  }
}

/**
 * A new, empty index by words alone that keeps its newest entries in memory and all others on the disk.
 * @throws RangeError for a collection that is filtered by more than values.
 */
export function createSegmentedIndex<E extends Entry, Filter>(
  collection: Collection<E, Filter>,
  options: SearchIndexOptions & Sealing,
): SearchIndex<E, Filter> {
  return new SegmentedIndex(collection, options)
}

/**
 * The index as it was sealed and saved; apply every change after `stats().change` to it.
 * @throws SnapshotError when there is neither a segment nor a snapshot that can be used: rebuild then.
 */
export async function loadSegmentedIndex<E extends Entry, Filter>(
  file: string,
  collection: Collection<E, Filter>,
  options: SearchIndexOptions & Sealing,
): Promise<SearchIndex<E, Filter>> {
  const index = new SegmentedIndex(collection, options)
  try {
    await index.load(file)
    return index
  } catch (error) {
    await index.close()
    throw error
  }
}
