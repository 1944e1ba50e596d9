import { type AnyOrama, create } from '@orama/orama'
import type { Collection, Entry } from '../collection.js'
import { type FoundHits, type PackedHits, unpackHits } from '../packed/packed-hits.js'
import { type PackedOptions, PackedRows } from '../packed/packed-rows.js'
import type { AnyWhere } from '../rows/where.js'
import type { IndexQuery, IndexStats } from '../search.js'
import { searchShard } from '../shards/search-shard.js'
import type { ShardSearch } from '../shards/shard.js'
import type { ChangedIds } from '../snapshot/changes.js'
import { readSnapshot } from '../snapshot/read-snapshot.js'
import type { SnapshotState } from '../snapshot/stored-rows.js'
import { writeSnapshot } from '../snapshot/write-snapshot.js'
import { maxAnalysedChars } from '../words/analysis/analyzer.js'
import { oramaSchema, packedPlugin } from './packed-plugin.js'
import { searchChannels } from './search-channels.js'

export interface SearchIndexOptions extends PackedOptions {
  /**
   * Name of the embedding model: vectors of different models don't compare, so snapshots of others are
   * refused.
   */
  model?: string | undefined
}

/**
 * State of an entry. `missing`: not indexed; `stale`: older than its row; `drifted`: its text now yields
 * other words.
 */
export type EntryState = 'missing' | 'stale' | 'drifted' | 'same'

/**
 * The derived hybrid index over one collection: BM25 over words, BM25 over hints, vectors. SQLite is the
 * record of truth; the index can always be rebuilt from it.
 */
export interface SearchIndex<E extends Entry, Filter> {
  /** Inserts or replaces one entry; a known vector stays until `setVector` or `remove`. */
  upsert(entry: E): void
  /**
   * Adds or replaces the vector of a known entry. @throws RangeError when its length differs from
   * `dimensions`.
   */
  setVector(id: string, vector: Float32Array): void
  /** @returns false when the id is unknown. */
  remove(id: string): boolean
  has(id: string): boolean
  /** Change sequence of a known entry's row. */
  changeOf(id: string): number | undefined
  /** Compares the indexed entry with the given one. */
  compare(entry: E): EntryState
  hasVector(id: string): boolean
  /** Candidates by channel, best first. Works in slices and never blocks the event loop for long. */
  search(query: IndexQuery<Filter>): Promise<FoundHits>
  /** Like `search`, in the form for `unpackHits`. */
  searchPacked(query: IndexQuery<Filter>): Promise<PackedHits>
  /**
   * Begins a search of this index as one shard of several. @param isComplete false while it is filled.
   * @throws RangeError for a collection that has no shards
   */
  beginShard(filter: Filter | undefined, isComplete: () => boolean): ShardSearch
  stats(): IndexStats
  /**
   * Writes a snapshot of this moment, atomically; the index may change in the meantime.
   * @returns its size in bytes.
   */
  save(file: string): Promise<number>
  /** Releases open resources; the index must not be used afterwards. */
  close(): Promise<void>
}

/** `SearchIndex` on Orama with the packed component. */
export class PackedIndex<E extends Entry, Filter> implements SearchIndex<E, Filter> {
  readonly #collection: Collection<E, Filter>
  readonly #rows: PackedRows
  readonly #orama: AnyOrama
  readonly #model: string | null
  #change = 0
  #searches = 0
  #saving: Promise<unknown> = Promise.resolve()
  #changed: ChangedIds | undefined

  constructor(collection: Collection<E, Filter>, options: SearchIndexOptions) {
    const { schema } = collection
    this.#collection = collection
    this.#model = options.model ?? null
    this.#rows = new PackedRows(schema, options)
    this.#orama = create({
      schema: oramaSchema(schema),
      plugins: [packedPlugin(this.#rows)],
      sort: { enabled: false },
    })
  }

  /** The rows, read-only, for copying them elsewhere. */
  get rows(): PackedRows {
    return this.#rows
  }

  upsert(entry: E): void {
    const { id } = entry
    const known = this.#rowOf(id)
    if (known !== undefined) {
      if (this.#rows.columns.change.get(known) > entry.change) return
      this.#removeRow(id, { keepVector: true })
    }
    // A running search or save may still refer to the previous entry of a row.
    const reuse = this.#searches === 0 && this.#changed === undefined
    const row = this.#rows.ids.assign(id, { reuse })
    this.#rows.take(row, entry, this.#analysed(entry))
    this.#rows.sessions?.add(row)
    this.#rows.masks.refresh(row)
    this.#change = Math.max(this.#change, entry.change)
    this.#changed?.add(id)
  }

  setVector(id: string, vector: Float32Array): void {
    const row = this.#rowOf(id)
    if (row === undefined) return
    this.#rows.openVectors(vector.length).set(row, vector)
    this.#rows.exact?.forget(row)
    this.#changed?.add(id)
  }

  remove(id: string): boolean {
    if (!this.has(id)) return false
    this.#removeRow(id, { keepVector: false })
    this.#changed?.add(id)
    return true
  }

  has(id: string): boolean {
    return this.#rowOf(id) !== undefined
  }

  changeOf(id: string): number | undefined {
    const row = this.#rowOf(id)
    return row === undefined ? undefined : this.#rows.columns.change.get(row)
  }

  compare(entry: E): EntryState {
    const row = this.#rowOf(entry.id)
    if (row === undefined) return 'missing'
    const { analyzer, columns, content } = this.#rows
    // A later vector changes the row's change number but not its words.
    if (content.holds(row, analyzer.index(this.#analysed(entry)))) return 'same'
    return columns.change.get(row) < entry.change ? 'stale' : 'drifted'
  }

  hasVector(id: string): boolean {
    const row = this.#rowOf(id)
    return row !== undefined && this.#rows.vectors?.has(row) === true
  }

  async search(query: IndexQuery<Filter>): Promise<FoundHits> {
    return unpackHits(await this.searchPacked(query))
  }

  async searchPacked(query: IndexQuery<Filter>): Promise<PackedHits> {
    this.#searches++
    try {
      const where = this.#collection.where(query.filter) as AnyWhere
      return await searchChannels(this.#orama, this.#rows, query, where)
    } finally {
      this.#searches--
    }
  }

  beginShard(filter: Filter | undefined, isComplete: () => boolean): ShardSearch {
    this.#searches++
    const where = this.#collection.where(filter) as AnyWhere
    const release = (): void => {
      this.#searches--
    }
    return searchShard(this.#rows, where, { isComplete, release })
  }

  async save(file: string): Promise<number> {
    const before = this.#saving
    const save = before.then(() => this.#save(file))
    this.#saving = save.catch(() => {})
    return save
  }

  async close(): Promise<void> {
    await this.#saving
  }

  /** Fills this index, which must be empty. @throws SnapshotError */
  async load(file: string): Promise<void> {
    const { change } = await readSnapshot(file, this.#snapshotState())
    this.#change = change
  }

  stats(): IndexStats {
    const { columns, vectors, terms, bytes } = this.#rows
    return {
      entries: columns.count,
      vectors: vectors?.count ?? 0,
      terms: terms.size,
      bytes,
      change: this.#change,
    }
  }

  async #save(file: string): Promise<number> {
    this.#changed = new Set()
    try {
      return await writeSnapshot(file, this.#snapshotState(), this.#changed)
    } finally {
      this.#changed = undefined
    }
  }

  /** Adds the author to the text, unless the text names the author anyway. */
  #analysed(entry: E): string {
    const { author } = this.#collection.schema
    const analysed = entry.content.slice(0, maxAnalysedChars)
    const name = author && (entry[author] as string | null)
    if (!name || analysed.toLowerCase().includes(name.toLowerCase())) return analysed
    return `${name}\n${analysed}`
  }

  #snapshotState(): SnapshotState {
    return {
      rows: this.#rows,
      model: this.#model,
      change: () => this.#change,
    }
  }

  #rowOf(id: string): number | undefined {
    const row = this.#rows.ids.rowOf(id)
    return row !== undefined && this.#rows.columns.live[row] === 1 ? row : undefined
  }

  #removeRow(id: string, { keepVector }: { keepVector: boolean }): void {
    const row = this.#rowOf(id)!
    this.#rows.sessions?.remove(row)
    this.#rows.remove(row, { keepVector })
    if (!keepVector) this.#rows.ids.free(row)
    this.#rows.masks.refresh(row)
  }
}

/**
 * Creates an empty index: Orama with the packed component.
 * @param options dimensions of the vectors (null: taken from the first vector), embedding model, BM25
 * parameters (k1 0.9 and b 0.4), a reader of exact vectors for rescoring.
 */
export function createIndex<E extends Entry, Filter>(
  collection: Collection<E, Filter>,
  options: SearchIndexOptions,
): SearchIndex<E, Filter> {
  return new PackedIndex(collection, options)
}

/**
 * Loads an index written by `save`; apply every change after `stats().change` to it. Reads in slices that
 * leave the event loop free.
 * @throws SnapshotError when the file is missing, damaged, or from another version, schema, analysis or
 * embedding model: rebuild then.
 */
export async function loadIndex<E extends Entry, Filter>(
  file: string,
  collection: Collection<E, Filter>,
  options: SearchIndexOptions,
): Promise<SearchIndex<E, Filter>> {
  const index = new PackedIndex(collection, options)
  await index.load(file)
  return index
}
