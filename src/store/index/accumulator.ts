import { TopRows } from './top-rows.js'

/** Scores of one search by row, and which of them are not zero. */
export class Accumulator {
  scores: Float64Array
  touched: Uint32Array
  count = 0

  constructor(capacity: number) {
    this.scores = new Float64Array(capacity)
    this.touched = new Uint32Array(capacity)
  }

  /** The best `depth` of those that `allowed` still names (all without it), and an empty accumulator. */
  drain(depth: number, allowed?: Uint8Array): [number, number][] {
    const top = new TopRows(depth)
    for (let i = 0; i < this.count; i++) {
      const row = this.touched[i]!
      const score = this.scores[row]!
      this.scores[row] = 0
      if (score >= top.floor && allowed?.[row] !== 0) top.push(row, score)
    }
    this.count = 0
    return top.sorted()
  }
}

const spares = 4

/** Lends accumulators, so that searches side by side don't share one and a search does not allocate one. */
export class Accumulators {
  #spare: Accumulator[] = []

  take(capacity: number): Accumulator {
    const spare = this.#spare.pop()
    return spare && spare.scores.length >= capacity ? spare : new Accumulator(Math.ceil(capacity * 1.25))
  }

  /** Gives one back; it must be drained. */
  give(accumulator: Accumulator): void {
    if (this.#spare.length < spares) this.#spare.push(accumulator)
  }

  get bytes(): number {
    return this.#spare.reduce((sum, { scores }) => sum + scores.length * 12, 0)
  }
}
