import type { Entry } from '../../../store/index/collection.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'

/** A database row as it should be indexed. */
export interface SourceEntry<E extends Entry> {
  id: string
  /** Undefined for rows that must not be indexed. */
  entry: E | undefined
  vector?: Float32Array | undefined
}

/** The source of an index's entries. Rows are numbered by their last change. */
export interface IndexSource<Row extends { change: number }, E extends Entry> {
  lastChange(): Promise<number>
  /** Number of rows in a complete index; undefined for a shard, whose rows are compared together. */
  countAlive(): Promise<number | undefined>
  /** The newest rows before a change, newest first; may skip rows that must not be indexed. */
  beforeChange(change: number, limit: number): Promise<Row[]>
  /** The oldest rows after a change, oldest first, including deleted ones. */
  afterChange(change: number, limit: number): Promise<Row[]>
  entries(rows: readonly Row[], model: VectorModel): Promise<SourceEntry<E>[]>
  /** Exact vectors, used to re-score the best hits of a quantised scan. */
  loadVectors?(ids: readonly string[], model: VectorModel): Promise<ReadonlyMap<string, Float32Array>>
}

/** Logger for the background work of an index. */
export interface IndexLog {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
}
