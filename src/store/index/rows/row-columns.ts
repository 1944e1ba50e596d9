import { BlockLists } from '../arrays/block-lists.js'
import { grown } from '../arrays/growable.js'
import { Dictionary } from '../words/dictionary.js'

/** Properties with one value out of few; a row without a value has number 0. */
export const enumProperties = ['type', 'who', 'project', 'scope', 'agentId', 'visibility', 'session'] as const
export const numberProperties = ['importance', 'createdAt', 'change'] as const

/** Properties with any number of values. */
export const labelProperties = ['tags', 'held'] as const

export type EnumProperty = (typeof enumProperties)[number]
export type NumberProperty = (typeof numberProperties)[number]
export type LabelProperty = (typeof labelProperties)[number]

/** One text per row as a number of a dictionary. */
export class EnumColumn {
  readonly values = new Dictionary()
  numbers = new Uint32Array(64)

  set(row: number, value: string): void {
    this.numbers = grown(this.numbers, row + 1)
    this.numbers[row] = this.values.retain(value)
  }

  get(row: number): string | null {
    const number = this.numbers[row] ?? 0
    return number === 0 ? null : this.values.text(number)
  }

  clear(row: number): void {
    this.values.release(this.numbers[row] ?? 0)
    if (row < this.numbers.length) this.numbers[row] = 0
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

  /** Labels by their numbers (snapshots). */
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

/** Everything the index knows of a row beside its text and vector, in columns: filters scan them. */
export class RowColumns {
  readonly enums = Object.fromEntries(enumProperties.map(name => [name, new EnumColumn()])) as Record<
    EnumProperty,
    EnumColumn
  >
  readonly numbers = Object.fromEntries(numberProperties.map(name => [name, new Float64Array(64)])) as Record<
    NumberProperty,
    Float64Array
  >
  readonly tags = new LabelColumn()
  /** What the holders of a row beside its first say of it: see `heldLabels`. */
  readonly held = new LabelColumn()
  pinned = new Uint8Array(64)
  /** 1 for a row that holds a memory. */
  live = new Uint8Array(64)
  count = 0
  /** One more than the highest row ever used. */
  end = 0

  /** Marks a row as holding a memory. */
  admit(row: number): void {
    this.reserve(row + 1)
    this.live[row] = 1
    this.count++
    this.end = Math.max(this.end, row + 1)
  }

  /** The row holds nothing any more; its columns are cleared one by one by their own `clear`. */
  dismiss(row: number): void {
    this.live[row] = 0
    this.count--
  }

  reserve(rows: number): void {
    if (rows <= this.live.length) return
    for (const name of numberProperties) this.numbers[name] = grown(this.numbers[name], rows)
    for (const name of enumProperties) this.enums[name].numbers = grown(this.enums[name].numbers, rows)
    this.pinned = grown(this.pinned, rows)
    this.live = grown(this.live, rows)
  }

  /** Counts again what `live` says (snapshots). */
  recount(): void {
    const { live } = this
    this.end = live.lastIndexOf(1) + 1
    this.count = 0
    for (let row = 0; row < this.end; row++) this.count += live[row]!
  }

  get bytes(): number {
    const enums = enumProperties.map(name => this.enums[name])
    const perRow = this.live.length * (enums.length * 4 + numberProperties.length * 8 + 2)
    const dictionaries = enums.reduce((sum, column) => sum + column.values.bytes, 0)
    return perRow + dictionaries + this.tags.bytes + this.held.bytes
  }
}
