import { growArray } from '../arrays/growable.js'
import type { RowColumns } from './columns.js'
import { type AnyWhere, type Condition, conditionOf, countMarks } from './where.js'

/** The rows that match a filter: one byte per row. */
export class RowMask {
  bytes: Uint8Array
  size = 0

  constructor(
    readonly condition: Condition,
    capacity: number,
  ) {
    this.bytes = new Uint8Array(capacity)
  }
}

const maxMasks = 16

/** Masks of recent filters, updated row by row, so that a repeated filter costs nothing. */
export class RowMasks {
  #masks = new Map<string, RowMask>()

  constructor(readonly columns: RowColumns) {}

  /** @throws RangeError when the filter names a column that the schema does not have. */
  of(where: AnyWhere): RowMask {
    const key = JSON.stringify(where)
    const mask = this.#masks.get(key) ?? this.#build(where)
    this.#masks.delete(key)
    this.#masks.set(key, mask)
    if (this.#masks.size > maxMasks) this.#masks.delete(this.#masks.keys().next().value!)
    return mask
  }

  /** Call after a row was filled, changed or emptied. */
  refresh(row: number): void {
    const mark = new Uint8Array(1)
    for (const mask of this.#masks.values()) {
      mask.bytes = growArray(mask.bytes, row + 1)
      const before = mask.bytes[row]!
      mark[0] = this.columns.live[row]!
      if (mark[0] === 1) mask.condition(row, mark)
      mask.bytes[row] = mark[0]
      mask.size += mark[0] - before
    }
  }

  get bytes(): number {
    let sum = 0
    for (const mask of this.#masks.values()) sum += mask.bytes.length
    return sum
  }

  #build(where: AnyWhere): RowMask {
    const { live, end } = this.columns
    const mask = new RowMask(conditionOf(where, this.columns), Math.max(end, 64))
    const { bytes } = mask
    bytes.set(live.subarray(0, end))
    mask.condition(0, bytes.subarray(0, end))
    mask.size = countMarks(bytes)
    return mask
  }
}
