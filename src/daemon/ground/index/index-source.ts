import type { Entry } from '../../../store/index/collection.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'

/** A row of the database as the index is to hold it. */
export interface SourceEntry<E extends Entry> {
  id: string
  /** Undefined for what the index must not hold. */
  entry: E | undefined
  vector?: Float32Array | undefined
}

/** Where the entries of an index come from. Rows are numbered by their last change. */
export interface IndexSource<Row extends { change: number }, E extends Entry> {
  lastChange(): Promise<number>
  /** Rows that a complete index holds. */
  countAlive(): Promise<number>
  /** The newest before a change, newest first; rows that the index must not hold may be left out. */
  beforeChange(change: number, limit: number): Promise<Row[]>
  /** The oldest after a change, oldest first, with those that are gone. */
  afterChange(change: number, limit: number): Promise<Row[]>
  entries(rows: readonly Row[], model: VectorModel): Promise<SourceEntry<E>[]>
  /** Exact vectors, by which the best of a quantised scan are scored again. */
  loadVectors?(ids: readonly string[], model: VectorModel): Promise<ReadonlyMap<string, Float32Array>>
}

/** What an index says of itself when nobody waits for it. */
export interface IndexLog {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
}
