import type { MemoryEntry, MemoryEntryFilter } from '../../src/store/index/collections/memories.js'

export interface BenchQuery {
  text: string
  vector: Float32Array
  filter: MemoryEntryFilter
}

/** One engine under test: what it can't do it leaves out. */
export interface Contender {
  insert(entry: MemoryEntry, vector: Float32Array): void
  /** By name of the measurement. */
  queries: Record<string, (query: BenchQuery) => unknown>
  /** How many queries of each kind; slow engines ask fewer. */
  rounds: number
  /** Measurements of its own in milliseconds or bytes, as their names say. */
  extras?(query: () => BenchQuery): Promise<Record<string, number>>
  close?(): void
}

export const resultDepth = 100
