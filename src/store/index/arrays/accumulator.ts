import { type RowScores, TopRows } from './top-rows.js'

/** Scores of one search by row, with a list of the non-zero ones: 12 bytes per row. */
export class Accumulator {
  scores: Float64Array
  touched: Uint32Array
  count = 0

  constructor(capacity: number) {
    this.scores = new Float64Array(capacity)
    this.touched = new Uint32Array(capacity)
  }

  get length(): number {
    return this.scores.length
  }

  clear(): void {
    for (let i = 0; i < this.count; i++) this.scores[this.touched[i]!] = 0
    this.count = 0
  }

  /**
   * Returns the best `depth` rows, limited to those marked in `allowed`, and clears the accumulator.
   * @param order see `TopRows`
   */
  drain(depth: number, allowed?: Uint8Array, order?: Float64Array): RowScores {
    const top = new TopRows(depth, order)
    const { scores, touched, count } = this
    for (let i = 0; i < count; i++) {
      const row = touched[i]!
      const score = scores[row]!
      scores[row] = 0
      if (score >= top.floor && allowed?.[row] !== 0) top.push(row, score)
    }
    this.count = 0
    return top.sorted()
  }
}
