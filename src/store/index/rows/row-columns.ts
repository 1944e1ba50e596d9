import { growArray } from '../arrays/growable.js'
import type { Schema } from '../collection.js'
import { type Column, LabelColumn, NumberColumn, newColumn, type RowColumn, ValueColumn } from './columns.js'

/**
 * Everything the index stores for a row besides text and vector, in the columns of its schema, which filters
 * scan. Look up a column by name once, before the scan.
 */
export class RowColumns {
  /** In schema order, then `change`, which every collection has. */
  readonly #byName: ReadonlyMap<string, Column>
  readonly change = new NumberColumn()
  readonly values: readonly ValueColumn[]
  readonly labels: readonly LabelColumn[]
  /** Columns with one number per row. */
  readonly perRow: readonly RowColumn[]
  /** 1 for a row with an entry. */
  live = new Uint8Array(64)
  count = 0
  /** One more than the highest row ever used. */
  end = 0

  constructor(readonly schema: Schema) {
    const named = Object.entries(schema.columns).map(([name, kind]) => [name, newColumn[kind]()] as const)
    this.#byName = new Map<string, Column>([...named, ['change', this.change]])
    const all = [...this.#byName.values()]
    this.values = all.filter(column => column instanceof ValueColumn)
    this.labels = all.filter(column => column instanceof LabelColumn)
    this.perRow = all.filter((column): column is RowColumn => !(column instanceof LabelColumn))
  }

  /** @throws RangeError when the schema has no such column. */
  of(name: string): Column {
    const column = this.#byName.get(name)
    if (!column) throw new RangeError(`entries of ${this.schema.name} have no column ${name}`)
    return column
  }

  /** Fills the columns of a row; null and undefined mean no value. */
  fill(row: number, entry: Readonly<Record<string, unknown>>): void {
    for (const [name, column] of this.#byName) {
      const value = entry[name]
      if (value != null) column.set(row, value as never)
    }
  }

  /** @throws RangeError when the schema has no such column of values. */
  valuesOf(name: string): ValueColumn {
    const column = this.of(name)
    if (!(column instanceof ValueColumn))
      throw new RangeError(`${name} of ${this.schema.name} is not a column of values`)
    return column
  }

  /** @throws RangeError when the schema has no such column of numbers. */
  numbersOf(name: string): NumberColumn {
    const column = this.of(name)
    if (!(column instanceof NumberColumn))
      throw new RangeError(`${name} of ${this.schema.name} is not a column of numbers`)
    return column
  }

  /** Marks a row as used. */
  admit(row: number): void {
    this.reserve(row + 1)
    this.live[row] = 1
    this.count++
    this.end = Math.max(this.end, row + 1)
  }

  /** Clears all columns of a row and marks it as unused. */
  dismiss(row: number): void {
    for (const column of this.#byName.values()) column.clear(row)
    this.live[row] = 0
    this.count--
  }

  reserve(rows: number): void {
    if (rows <= this.live.length) return
    for (const column of this.perRow) column.reserve(rows)
    this.live = growArray(this.live, rows)
  }

  /** Recounts rows from `live` (snapshots). */
  recount(): void {
    const { live } = this
    this.end = live.lastIndexOf(1) + 1
    this.count = 0
    for (let row = 0; row < this.end; row++) this.count += live[row]!
  }

  get bytes(): number {
    const perRow = this.perRow.reduce((sum, { numbers }) => sum + numbers.byteLength, this.live.length)
    const dictionaries = this.values.reduce((sum, { values }) => sum + values.bytes, 0)
    return perRow + dictionaries + this.labels.reduce((sum, { bytes }) => sum + bytes, 0)
  }
}
