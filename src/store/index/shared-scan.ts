import type { DotKernel } from './dot-kernel.js'
import type { LoopBudget } from './loop-budget.js'

/** Rows of one step: few enough that they stay in the processor's cache while every query looks at them. */
const blockRows = 1024

interface Rider {
  query: Int16Array
  visit(firstRow: number, count: number): void
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

  /** @param rows how many there are now, and their scales. */
  constructor(
    readonly kernel: DotKernel,
    readonly rows: () => { end: number; scales: Float32Array },
  ) {}

  /** Calls `visit` for every block of rows, in any order, with their dot products and scales in the kernel. */
  async ride(query: Int16Array, visit: Rider['visit'], budget: LoopBudget): Promise<void> {
    if (this.rows().end === 0) return
    await budget.breathe()
    await new Promise<void>(done => {
      const isFirst = this.#riders.push({ query, visit, start: this.#block, done }) === 1
      if (isFirst) void this.#drive(budget)
    })
  }

  async #drive(budget: LoopBudget): Promise<void> {
    while (this.#riders.length > 0) {
      const { end, scales } = this.rows()
      const from = this.#block * blockRows
      const count = Math.min(blockRows, end - from)
      this.kernel.scales.set(scales.subarray(from, from + count))
      for (const { query, visit } of this.#riders) {
        this.kernel.query.set(query)
        this.kernel.scan(from, count)
        visit(from, count)
      }
      this.#block = from + blockRows < end ? this.#block + 1 : 0
      for (const rider of this.#riders) if (rider.start === this.#block) rider.done()
      this.#riders = this.#riders.filter(rider => rider.start !== this.#block)
      await budget.breathe()
    }
  }
}
