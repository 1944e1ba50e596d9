import { type Breather, LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import type { PostingRow } from '../../tables/sessions/segment-file.js'
import type { Collection, Entry } from '../collection.js'
import {
  type EntryState,
  PackedIndex,
  type SearchIndex,
  type SearchIndexOptions,
} from '../orama/packed-index.js'
import { type FoundHits, type PackedHits, unpackHits } from '../packed/packed-hits.js'
import type { IndexQuery, IndexStats } from '../search.js'
import { SnapshotError } from '../snapshot/frames.js'
import { frequencyBits, shortText } from '../words/text-field.js'
import { packPostings, sealRows, unpackPostings } from './seal.js'
import { SealedSegments, type Segment } from './sealed-segments.js'
import { searchParts } from './search-parts.js'

/** Posting lists processed per step. */
const perStep = 100

/**
 * Rewrites segments without the words of removed entries and deletes empty segments; the bytes of these words
 * leave the file and its log (imports.md#removing). Safe to repeat after an interruption.
 */
async function tidySegments(sealed: SealedSegments, budget: Breather): Promise<void> {
  const untidy = sealed.segments.filter(({ live, kept }) => live < kept)
  for (const segment of untidy) {
    if (segment.live > 0) await keepLiving(sealed, segment, budget)
    // All entries may have been removed during the rewrite.
    if (segment.live === 0) dropSegment(sealed, segment)
  }
  if (untidy.length > 0) sealed.file.forget()
}

async function keepLiving(sealed: SealedSegments, segment: Segment, budget: Breather): Promise<void> {
  const { file } = sealed
  const living = segment.living?.slice() ?? new Uint8Array(segment.size).fill(1)
  const buffer = new Uint32Array(segment.size)
  const add = file.beginPostings(segment.segment)
  let last = ''
  for (;;) {
    const page = file.postingsAfter(segment.segment, last, perStep)
    file.atOnce(() => {
      for (const row of page) {
        const left = livingOnly(row, living, buffer)
        if (left.length === row.holding) add(row)
        else if (left.length > 0) add({ ...row, holding: left.length, data: packPostings(left) })
      }
    })
    if (page.length < perStep) break
    last = page.at(-1)?.term as string
    await budget.breathe()
  }
  file.atOnce(() => {
    file.showPostings(segment.segment)
    noteKept(sealed, segment, living)
  })
}

function livingOnly({ data }: PostingRow, living: Uint8Array, buffer: Uint32Array): Uint32Array {
  const count = unpackPostings(data, buffer)
  return buffer.subarray(0, count).filter(posting => living[posting >>> frequencyBits] === 1)
}

function dropSegment(sealed: SealedSegments, segment: Segment): void {
  sealed.file.atOnce(() => {
    sealed.file.dropPostings(segment.segment)
    sealed.file.dropSegment(segment.segment)
  })
  sealed.segments = sealed.segments.filter(one => one !== segment)
}

function noteKept(sealed: SealedSegments, segment: Segment, living: Uint8Array): void {
  const { lengths } = sealed.columnsOf(segment) ?? { lengths: new Uint32Array(0) }
  segment.kept = 0
  segment.length = 0
  for (let place = 0; place < lengths.length; place++) {
    if (living[place] !== 1) continue
    segment.kept++
    segment.length += Math.max(lengths[place]!, shortText)
  }
  sealed.file.keep(segment.segment, segment.kept, segment.length)
}

/** Options for a collection that may exceed memory. */
export interface Sealing {
  /** File of the segments. */
  segments: string
  /** In-memory entries that trigger sealing. */
  sealFrom: number
  /** Called if a segment could not be written. */
  onFault(error: unknown): void
  /** Delay before words of removed entries are deleted from segments; default 30,000. */
  tidyAfterMs?: number
}

export type SegmentedOptions = SearchIndexOptions & Sealing

const defaultTidyAfterMs = 30_000

/**
 * A keyword-only `SearchIndex` with bounded memory: new entries go to an in-memory packed index, which is
 * sealed as a segment on disk once it is full. Word statistics cover all entries, so ranks equal those of one
 * in-memory index.
 */
export class SegmentedIndex<E extends Entry, Filter> implements SearchIndex<E, Filter> {
  readonly #collection: Collection<E, Filter>
  readonly #options: SegmentedOptions
  readonly #sealed: SealedSegments
  readonly #budget = new LoopBudget()
  readonly #oneAtATime = oneAtATime()
  /** The last part accepts entries; earlier ones are waiting to be sealed. */
  #parts: PackedIndex<E, Filter>[]
  /** Entries removed from the part that is being sealed. */
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

  /** This index has no vectors. */
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

  /** Sealed entries are compared by change number only. */
  compare(entry: E): EntryState {
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

  beginShard(): never {
    throw new RangeError(`${this.#collection.schema.name} have no shards`)
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

  /** Saves the unsealed entries. @throws Error while a segment can't be written. */
  async save(file: string): Promise<number> {
    await this.#seal()
    if (this.#parts.length > 1) throw new Error('a segment of the index can not be written')
    return this.#newest.save(file)
  }

  /**
   * Fills this empty index from its segments and the snapshot of unsealed entries.
   * @throws SnapshotError if both are missing.
   */
  async load(file: string): Promise<void> {
    const hasSegments = this.#sealed.open()
    try {
      await this.#newest.load(file)
    } catch (error) {
      if (!hasSegments || !(error instanceof SnapshotError)) throw error
      // Entries of the lost snapshot are read from SQLite again, like all after the last segment.
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

  /** An entry of the snapshot may have been sealed since. */
  #settle(id: string): void {
    const sealed = this.#sealed.changeOf(id)
    if (sealed === undefined) return
    if (sealed >= (this.#newest.changeOf(id) as number)) this.#newest.remove(id)
    else this.#sealed.drop(id)
  }

  /** Seals all parts but the newest; after a failure a part stays in memory until the next attempt. */
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
 * Creates an empty keyword-only index with its newest entries in memory and the others on disk.
 * @throws RangeError for a collection with columns of other kinds than values.
 */
export function createSegmentedIndex<E extends Entry, Filter>(
  collection: Collection<E, Filter>,
  options: SearchIndexOptions & Sealing,
): SearchIndex<E, Filter> {
  return new SegmentedIndex(collection, options)
}

/**
 * Loads the sealed and saved index; apply every change after `stats().change` to it.
 * @throws SnapshotError without a usable segment or snapshot: rebuild then.
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
