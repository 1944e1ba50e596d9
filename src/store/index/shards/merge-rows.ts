import type { RowScores } from '../arrays/top-rows.js'
import type { ShardRows } from './shard.js'

/** One of the best rows of all shards. */
export interface BestRow {
  shard: number
  /** Its place among the rows that the shard found. */
  at: number
  row: number
  score: number
  change: number
}

/** The best rows of each channel, best first. */
export interface FoundRows {
  keyword: readonly BestRow[]
  hints: readonly BestRow[]
  vector: readonly BestRow[]
}

/** Orders rows best first, equal ones by their changes. */
export function byScore(a: BestRow, b: BestRow): number {
  return b.score - a.score || a.change - b.change
}

/** The best rows of one channel. @param lists by shard, each best first. */
export function bestOf(lists: readonly ShardRows[], depth: number): BestRow[] {
  const all = lists.flatMap(({ rows, scores, changes }, shard) =>
    Array.from(rows, (row, at) => ({ shard, at, row, score: scores[at]!, change: changes[at]! })),
  )
  return all.sort(byScore).slice(0, depth)
}

/** The rows of one shard among the best, in their order. */
export function keptIn(found: FoundRows, shard: number): Record<keyof FoundRows, RowScores> {
  const of = (best: readonly BestRow[]): RowScores => {
    const own = best.filter(row => row.shard === shard)
    return {
      rows: Uint32Array.from(own, ({ row }) => row),
      scores: Float64Array.from(own, ({ score }) => score),
    }
  }
  return { keyword: of(found.keyword), hints: of(found.hints), vector: of(found.vector) }
}
