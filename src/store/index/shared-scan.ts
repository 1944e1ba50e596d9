import type { DotKernel } from './dot-kernel.js'
import type { LoopBudget } from './loop-budget.js'

/** Rows of one step: few enough that they stay in the processor's cache while every query looks at them. */
const blockRows = 1024

interface Rider {
  query: Int16Array
  visit(results: Int32Array, firstRow: number, count: number): void
  /** The block it got on at; when that comes round again it has seen all. */
  start: number
  done(): void
}

/**
 * One scan over all rows for any number of queries: it goes round and round while there is somebody aboard, a
 * query gets on where the scan happens to be and off when it has seen every block. Reading the rows from memory
 * takes longer than multiplying them, so ten queries together cost far less than ten in a line.
 */
export class SharedScan {
  #riders: Rider[] = []
  #block = 0

  /** @param end how many rows there are now. */
  constructor(
    readonly kernel: DotKernel,
    readonly end: () => number,
  ) {}

  /** Gives `visit` the dot products of every row, block by block, in any order. */
  async ride(query: Int16Array, visit: Rider['visit'], budget: LoopBudget): Promise<void> {
    if (this.end() === 0) return
    await budget.breathe()
    await new Promise<void>(done => {
      const isFirst = this.#riders.push({ query, visit, start: this.#block, done }) === 1
      if (isFirst) void this.#drive(budget)
    })
  }

  async #drive(budget: LoopBudget): Promise<void> {
    while (this.#riders.length > 0) {
      const from = this.#block * blockRows
      const count = Math.min(blockRows, this.end() - from)
      for (const { query, visit } of this.#riders) {
        this.kernel.query.set(query)
        this.kernel.scan(from, count)
        visit(this.kernel.results, from, count)
      }
      this.#block = from + blockRows < this.end() ? this.#block + 1 : 0
      for (const rider of this.#riders) if (rider.start === this.#block) rider.done()
      this.#riders = this.#riders.filter(rider => rider.start !== this.#block)
      await budget.breathe()
    }
  }
}
