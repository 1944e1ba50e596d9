/** Rows and their scores, best first. */
export interface RowScores {
  readonly rows: Uint32Array
  readonly scores: Float64Array
}

export const noRows: RowScores = { rows: new Uint32Array(0), scores: new Float64Array(0) }

/**
 * Collects the best `depth` rows. Of equal scores the row with the lower number in `order` wins, then the
 * lower row. Buffers up to twice as many and then drops the worse half, which takes fewer steps per row than
 * a heap.
 */
export class TopRows {
  readonly #scores: Float64Array
  readonly #rows: Uint32Array
  #size = 0
  #floor: number

  /** @param order a number of each row, such as its change: rows are numbered otherwise in each daemon. */
  constructor(
    readonly depth: number,
    readonly order?: Float64Array,
  ) {
    this.#scores = new Float64Array(2 * depth)
    this.#rows = new Uint32Array(2 * depth)
    this.#floor = depth > 0 ? -Infinity : Infinity
  }

  /** Lower scores cannot enter; exact after `prune`. Check it before `push` in tight loops. */
  get floor(): number {
    return this.#floor
  }

  push(row: number, score: number): void {
    if (this.#size === this.#rows.length) this.prune()
    if (!(score >= this.#floor) || this.depth === 0) return
    this.#rows[this.#size] = row
    this.#scores[this.#size++] = score
  }

  /** Drops all but the best. */
  prune(): void {
    const last = this.depth - 1
    if (this.#size < this.depth || last < 0) return
    let low = 0
    let high = this.#size - 1
    while (low < high) {
      const border = this.#part(low, high)
      if (last <= border) high = border
      else low = border + 1
    }
    this.#size = this.depth
    this.#floor = this.#scores[last]!
  }

  /** The best rows, unordered; valid until the next change. */
  get rows(): Uint32Array {
    this.prune()
    return this.#rows.subarray(0, this.#size)
  }

  /** Valid until the next change. */
  sorted(): RowScores {
    this.prune()
    this.#sort(0, this.#size - 1)
    return { rows: this.#rows.subarray(0, this.#size), scores: this.#scores.subarray(0, this.#size) }
  }

  #sort(from: number, high: number): void {
    let low = from
    while (low < high) {
      const border = this.#part(low, high)
      this.#sort(low, border)
      low = border + 1
    }
  }

  /** Partitions entries with the better ones first. @returns the last of these, never `high`. */
  #part(low: number, high: number): number {
    const scores = this.#scores
    const rows = this.#rows
    const middle = (low + high) >>> 1
    const score = scores[middle]!
    const row = rows[middle]!
    let i = low
    let j = high
    for (;;) {
      while (scores[i]! > score || (scores[i] === score && this.#isBefore(rows[i]!, row))) i++
      while (scores[j]! < score || (scores[j] === score && this.#isBefore(row, rows[j]!))) j--
      if (i >= j) return j
      const otherScore = scores[i]!
      const otherRow = rows[i]!
      scores[i] = scores[j]!
      rows[i++] = rows[j]!
      scores[j] = otherScore
      rows[j--] = otherRow
    }
  }

  #isBefore(row: number, other: number): boolean {
    const { order } = this
    if (order === undefined) return row < other
    const apart = (order[row] ?? 0) - (order[other] ?? 0)
    return apart === 0 ? row < other : apart < 0
  }
}
