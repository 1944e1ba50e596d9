import type { MemoryEntry, MemoryEntryFilter } from '../../src/store/index/collections.js'

export interface BenchQuery {
  text: string
  vector: Float32Array
  filter: MemoryEntryFilter
}

/** One engine under test; it omits queries it does not support. */
export interface Contender {
  insert(entry: MemoryEntry, vector: Float32Array): void
  /** Query functions by name of the measurement. */
  queries: Record<string, (query: BenchQuery) => unknown>
  /** Queries of each kind; slow engines run fewer. */
  rounds: number
  /** Further measurements in milliseconds or bytes, as their names say. */
  extras?(query: () => BenchQuery): Promise<Record<string, number>>
  close?(): void
}

export const resultDepth = 100
