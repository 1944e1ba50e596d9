import type { RowScores } from '../arrays/top-rows.js'
import type { PackedFacts } from '../packed/packed-hits.js'
import type { SessionCounts, SessionTotals } from '../rows/sessions.js'

/** Number of rows with each term, in the order asked. */
export interface TermCounts {
  content: Uint32Array
  hints: Uint32Array
}

/** Number of rows with a text, and their lengths together. */
export interface FieldTotals {
  filled: number
  totalLength: number
}

/** Numbers that statistics over all shards are summed from. */
export interface ShardTotals {
  content: FieldTotals
  hints: FieldTotals
  sessions: SessionTotals
  /** Rows that match the filter. */
  allowed: number
  vectors: number
  /** False while the shard is being filled. */
  complete: boolean
}

/** A query whose words are planned, with statistics over all shards. */
export interface PlannedQuery {
  /** Weights by term, as in `TermPlan`. */
  weights: ReadonlyMap<string, number>
  meant: ReadonlyMap<string, string>
  words: ReadonlyMap<string, number>
  content: FieldTotals & { holding: ReadonlyMap<string, number> }
  hints: FieldTotals & { holding: ReadonlyMap<string, number> }
  evidence: boolean
  depth: number
  vector?: Float32Array | undefined
}

/** Rows of one shard, and the change of each, which orders equal scores. */
export interface ShardRows extends RowScores {
  changes: Float64Array
}

/** A row that expansion may take terms from; `place` is its place among the shard's keyword rows. */
export interface ShardSource {
  place: number
  length: number
  terms: [string, number][]
}

export interface ShardFound {
  keyword: ShardRows
  hints: ShardRows
  /** Scored by quantised vectors. */
  vector: ShardRows
  sources: ShardSource[]
}

/** Rows of a shard that are among the best of all shards. */
export interface KeptRows {
  keyword: RowScores
  hints: RowScores
  vector: RowScores
  /** Expansion terms with their weights. */
  expansion: readonly (readonly [string, number])[]
}

/** Facts about the kept rows of one shard, with what scores of whole sessions are made from. */
export interface PackedShard extends PackedFacts {
  /** Positions of the kept rows, `none` for those removed since. */
  keyword: Int32Array
  hints: Int32Array
  vector: Int32Array
  /** In the order of the kept keyword rows; empty unless asked. */
  expansion: Float64Array
  coverage: Float64Array
  occurrences: Float64Array
  /** Position of the name of each session of a kept row, and its length in terms. */
  sessions: { places: Int32Array; lengths: Float64Array }
  /** By term of the query: the sessions with it, and how often each session above has it. */
  sessionCounts: ReadonlyMap<string, SessionCounts>
}

/**
 * One search of one shard, in steps between which the caller sums statistics over all shards. Rows keep their
 * numbers until `end`.
 */
export interface ShardSearch {
  /** @returns totals, with counts of these terms. */
  begin(terms: readonly string[]): Promise<{ totals: ShardTotals; counts: TermCounts }>
  count(terms: readonly string[]): Promise<TermCounts>
  /** Known words similar to an unknown one; see `expandTerm`. */
  near(word: string): Promise<[string, number][]>
  /** The best rows of each channel. */
  find(query: PlannedQuery): Promise<ShardFound>
  /** Exact cosines of rows; NaN for one that has no exact vector. */
  cosines(rows: Uint32Array): Promise<Float64Array>
  /** Evidence and facts of the rows that remain. */
  pack(kept: KeptRows): Promise<PackedShard>
  end(): void
}
