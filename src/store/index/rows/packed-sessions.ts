import { inStretches, type LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import type { ValueColumn } from './columns.js'
import type { RowColumns } from './row-columns.js'

const rowsPerStep = 10_000

/** The rows of many sessions, session after session in one array: quickly made, and taken out one by one. */
export class PackedSessions {
  #rows = new Uint32Array(0)
  /** By session: where its rows end, and how many are left. */
  #ends = new Uint32Array(0)
  #sizes = new Uint32Array(0)
  /** Sessions that had rows at the beginning. */
  count = 0

  /** @param key the column that names a row's session. */
  static async of(
    { numbers, values }: ValueColumn,
    columns: RowColumns,
    budget: LoopBudget,
  ): Promise<PackedSessions> {
    const sizes = new Uint32Array(values.capacity)
    const packed = new PackedSessions()
    const all = { first: 1, end: columns.end, size: rowsPerStep }
    await inStretches(budget, all, (from, to) => {
      for (let row = from; row < to; row++) sizes[numbers[row]!]!++
    })
    // Number 0 stands for no session.
    sizes[0] = 0
    const ends = new Uint32Array(sizes.length)
    for (let session = 1; session < sizes.length; session++) {
      ends[session] = ends[session - 1]! + sizes[session - 1]!
      if (sizes[session]! > 0) packed.count++
    }
    const rows = new Uint32Array(columns.count)
    await inStretches(budget, all, (from, to) => {
      for (let row = from; row < to; row++) if (numbers[row] !== 0) rows[ends[numbers[row]!]!++] = row
    })
    packed.#rows = rows
    packed.#ends = ends
    packed.#sizes = sizes
    return packed
  }

  /** The rows of a session, oldest row first; undefined when there are none or they were taken before. */
  take(session: number): number[] | undefined {
    const size = this.#sizes[session] ?? 0
    if (size === 0) return undefined
    this.#sizes[session] = 0
    const end = this.#ends[session]!
    return Array.from(this.#rows.subarray(end - size, end))
  }
}
