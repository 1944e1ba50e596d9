import { BlockLists } from '../arrays/block-lists.js'
import { growArray } from '../arrays/growable.js'
import type { ColumnKind, Schema } from '../collection.js'
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
type RowColumn = ValueColumn | NumberColumn | FlagColumn
type Column = RowColumn | LabelColumn

/** Creates an empty column of each kind. */
const newColumn: Record<ColumnKind, () => Column> = {
  value: () => new ValueColumn(),
  number: () => new NumberColumn(),
  flag: () => new FlagColumn(),
  labels: () => new LabelColumn(),
}

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
