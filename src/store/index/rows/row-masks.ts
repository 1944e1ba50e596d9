import { grown } from '../arrays/growable.js'
import type { RowColumns } from './row-columns.js'
import { evaluate, type Where } from './where.js'

/** The rows that a filter lets through: a byte per row. Looks like a read-only `Set<number>` to Orama. */
export class RowMask {
  bytes: Uint8Array
  size = 0

  constructor(
    readonly where: Where,
    capacity: number,
  ) {
    this.bytes = new Uint8Array(capacity)
  }

  has(row: number): boolean {
    return this.bytes[row] === 1
  }

  *[Symbol.iterator](): Generator<number> {
    for (let row = 0; row < this.bytes.length; row++) if (this.bytes[row] === 1) yield row
  }
}

const maxMasks = 16

/** Masks of the filters used last. They are kept up to date row by row, so a repeated filter costs nothing. */
export class RowMasks {
  #masks = new Map<string, RowMask>()

  constructor(readonly columns: RowColumns) {}

  of(where: Where): RowMask {
    const key = JSON.stringify(where)
    const mask = this.#masks.get(key) ?? this.#build(where)
    this.#masks.delete(key)
    this.#masks.set(key, mask)
    if (this.#masks.size > maxMasks) this.#masks.delete(this.#masks.keys().next().value!)
    return mask
  }

  /** Call after a row was filled, changed or emptied. */
  refresh(row: number): void {
    for (const mask of this.#masks.values()) {
      mask.bytes = grown(mask.bytes, row + 1)
      const before = mask.bytes[row]!
      const after = this.columns.live[row] === 1 ? evaluate(mask.where, this.columns, row, row + 1)[0]! : 0
      mask.bytes[row] = after
      mask.size += after - before
    }
  }

  get bytes(): number {
    let sum = 0
    for (const mask of this.#masks.values()) sum += mask.bytes.length
    return sum
  }

  #build(where: Where): RowMask {
    const { live, end } = this.columns
    const mask = new RowMask(where, Math.max(end, 64))
    const passing = evaluate(where, this.columns, 0, end)
    for (let row = 0; row < end; row++) {
      const passes = live[row]! & passing[row]!
      mask.bytes[row] = passes
      mask.size += passes
    }
    return mask
  }
}
