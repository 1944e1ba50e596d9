import { LoopBudget } from '../../../lib/loop-budget.js'
import { Accumulator } from '../arrays/accumulator.js'
import { Spares } from '../arrays/spares.js'
import {
  type EnumProperty,
  enumProperties,
  type LabelProperty,
  labelProperties,
  type numberProperties,
  RowColumns,
} from '../rows/row-columns.js'
import { RowIds } from '../rows/row-ids.js'
import { RowMasks } from '../rows/row-masks.js'
import { Sessions } from '../rows/sessions.js'
import { ExactVectors, type LoadVectors } from '../vectors/exact-vectors.js'
import { VectorStore } from '../vectors/vector-store.js'
import { Analyzer } from '../words/analysis/analyzer.js'
import { Dictionary } from '../words/dictionary.js'
import { type Bm25, TextField } from '../words/text-field.js'

export type TextProperty = 'content' | 'hints'

export interface PackedOptions {
  /** Length of the vectors; null until the first one tells. */
  dimensions: number | null
  bm25?: Partial<Bm25> | undefined
  /** Exact vectors for rescoring; without it the quantised order stands. */
  loadVectors?: LoadVectors | undefined
  /** false scans vectors in plain JavaScript. */
  simd?: boolean | undefined
}

/** What the packed index keeps of its rows. A row is Orama's internal document id. */
export class PackedRows {
  readonly ids = new RowIds()
  readonly analyzer = new Analyzer()
  readonly terms = new Dictionary()
  readonly columns = new RowColumns()
  readonly texts: Readonly<Record<TextProperty, TextField>> = {
    content: new TextField(this.terms),
    hints: new TextField(this.terms),
  }
  readonly sessions = new Sessions(this.columns, this.texts.content, this.ids)
  readonly masks = new RowMasks(this.columns)
  /** Drained before they are given back. */
  readonly accumulators = new Spares(length => new Accumulator(length))
  readonly budget = new LoopBudget()
  readonly bm25: Bm25
  vectors: VectorStore | undefined
  /** There is none without a reader of exact vectors. */
  exact: ExactVectors | undefined

  constructor(readonly options: PackedOptions) {
    this.bm25 = { k1: 0.9, b: 0.4, ...options.bm25 }
    if (options.dimensions !== null) this.openVectors(options.dimensions)
  }

  /** The vector store, made on the first call. @throws RangeError when it has other dimensions. */
  openVectors(dimensions: number): VectorStore {
    const { simd, loadVectors } = this.options
    this.vectors ??= new VectorStore(dimensions, { simd })
    if (loadVectors) this.exact ??= new ExactVectors(dimensions, this.ids, loadVectors)
    return this.vectors
  }

  /** Fills one property of a row; null and undefined leave it without a value. */
  fill(row: number, property: string, value: unknown): void {
    const { columns } = this
    if (property === 'content') this.texts.content.add(row, this.analyzer.index(value as string))
    else if (property === 'hints') this.#fillHints(row, value as readonly string[])
    else if (isLabels(property)) columns[property].set(row, value as readonly string[])
    else if (property === 'pinned') columns.pinned[row] = Number(value)
    else if (isEnum(property)) columns.enums[property].set(row, value as string)
    else columns.numbers[property as (typeof numberProperties)[number]][row] = value as number
  }

  /** Empties one property of a row. */
  empty(row: number, property: string): void {
    const { columns } = this
    if (property === 'content' || property === 'hints') this.texts[property].remove(row)
    else if (isLabels(property)) columns[property].clear(row)
    else if (isEnum(property)) columns.enums[property].clear(row)
  }

  get bytes(): number {
    const { content, hints } = this.texts
    return (
      this.ids.bytes +
      content.bytes +
      hints.bytes +
      this.terms.bytes +
      this.columns.bytes +
      this.sessions.bytes +
      this.masks.bytes +
      this.accumulators.length * 12 +
      (this.vectors?.bytes ?? 0) +
      (this.exact?.bytes ?? 0)
    )
  }

  #fillHints(row: number, hints: readonly string[]): void {
    if (hints.length > 0)
      this.texts.hints.add(
        row,
        hints.flatMap(hint => this.analyzer.index(hint)),
      )
  }
}

const enumNames: ReadonlySet<string> = new Set(enumProperties)
const isEnum = (property: string): property is EnumProperty => enumNames.has(property)
const labelNames: ReadonlySet<string> = new Set(labelProperties)
const isLabels = (property: string): property is LabelProperty => labelNames.has(property)
