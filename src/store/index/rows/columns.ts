import { BlockLists } from '../arrays/block-lists.js'
import { growArray } from '../arrays/growable.js'
import type { ColumnKind } from '../collection.js'
import { Dictionary } from '../words/dictionary.js'

/** One number per row; 0 without a value. A class per array type keeps scan loops monomorphic. */
class Numbers<Kept extends Uint8Array | Uint32Array | Float64Array> {
  constructor(public numbers: Kept) {}

  clear(row: number): void {
    if (row < this.numbers.length) this.numbers[row] = 0
  }

  reserve(rows: number): void {
    this.numbers = growArray(this.numbers, rows)
  }
}

/** One text per row, as a number of a dictionary. */
export class ValueColumn extends Numbers<Uint32Array> {
  readonly values = new Dictionary()

  constructor() {
    super(new Uint32Array(64))
  }

  set(row: number, value: string): void {
    this.reserve(row + 1)
    this.numbers[row] = this.values.retain(value)
  }

  get(row: number): string | null {
    const number = this.numbers[row] ?? 0
    return number === 0 ? null : this.values.text(number)
  }

  override clear(row: number): void {
    this.values.release(this.numbers[row] ?? 0)
    super.clear(row)
  }
}

export class NumberColumn extends Numbers<Float64Array> {
  constructor() {
    super(new Float64Array(64))
  }

  set(row: number, value: number): void {
    this.reserve(row + 1)
    this.numbers[row] = value
  }

  get(row: number): number {
    return this.numbers[row] ?? 0
  }
}

/** A boolean per row, as 1 or 0. */
export class FlagColumn extends Numbers<Uint8Array> {
  constructor() {
    super(new Uint8Array(64))
  }

  set(row: number, value: boolean): void {
    this.reserve(row + 1)
    this.numbers[row] = Number(value)
  }
}

/** Any number of labels per row, and the rows of each label. */
export class LabelColumn {
  readonly labels = new Dictionary()
  readonly rows = new BlockLists()
  readonly ofRow = new BlockLists()

  set(row: number, labels: readonly string[]): void {
    for (const label of new Set(labels)) this.#add(row, this.labels.retain(label))
  }

  /** Restores labels by their numbers (snapshots). */
  restore(row: number, labels: Uint32Array): void {
    for (const label of labels) this.#add(row, label)
  }

  get(row: number): string[] {
    return Array.from(this.ofRow.values(row), label => this.labels.text(label))
  }

  clear(row: number): void {
    for (const label of this.ofRow.values(row)) {
      this.rows.remove(label, row, 0)
      this.labels.release(label)
    }
    this.ofRow.clear(row)
  }

  get bytes(): number {
    return this.labels.bytes + this.rows.bytes + this.ofRow.bytes
  }

  #add(row: number, label: number): void {
    this.rows.append(label, row)
    this.ofRow.append(row, label)
  }
}

/** A column with one number per row. */
export type RowColumn = ValueColumn | NumberColumn | FlagColumn
export type Column = RowColumn | LabelColumn

/** Creates an empty column of each kind. */
export const newColumn: Record<ColumnKind, () => Column> = {
  value: () => new ValueColumn(),
  number: () => new NumberColumn(),
  flag: () => new FlagColumn(),
  labels: () => new LabelColumn(),
}
