import type { RowScores } from '../../../../src/store/index/arrays/top-rows.js'

/** Returns [row, score] pairs. */
export function pairsOf({ rows, scores }: RowScores): [number, number][] {
  return Array.from(rows, (row, i) => [row, scores[i]!])
}
