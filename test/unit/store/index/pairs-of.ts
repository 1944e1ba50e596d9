import type { RowScores } from '../../../../src/store/index/arrays/top-rows.js'

/** [row, score] of what was found. */
export function pairsOf({ rows, scores }: RowScores): [number, number][] {
  return Array.from(rows, (row, i) => [row, scores[i]!])
}
