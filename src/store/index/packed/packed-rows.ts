import { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { Accumulator } from '../arrays/accumulator.js'
import { BufferPool } from '../arrays/buffer-pool.js'
import type { Entry, HintedEntry, Schema } from '../collection.js'
import type { ValueColumn } from '../rows/columns.js'
import { RowColumns } from '../rows/row-columns.js'
import { RowIds } from '../rows/row-ids.js'
import { RowMasks } from '../rows/row-masks.js'
import { Sessions } from '../rows/sessions.js'
import { ExactVectors, type LoadVectors } from '../vectors/exact-vectors.js'
import { VectorStore } from '../vectors/vector-store.js'
import { Analyzer } from '../words/analysis/analyzer.js'
import { Dictionary } from '../words/dictionary.js'
import { type Bm25, TextField } from '../words/text-field.js'
import { TermSlots } from './term-slots.js'

export interface PackedOptions {
  /** Length of the vectors; null until the first one tells. */
  dimensions: number | null
  bm25?: Partial<Bm25> | undefined
  /** Exact vectors for rescoring; without it the quantised order stands. */
  loadVectors?: LoadVectors | undefined
  /** false scans vectors in plain JavaScript. */
  simd?: boolean | undefined
}

/** What the packed index keeps of its rows, as its schema says. A row is Orama's internal id of an entry. */
export class PackedRows {
  readonly ids = new RowIds()
  readonly analyzer = new Analyzer()
  readonly terms = new Dictionary()
  readonly columns: RowColumns
  readonly content = new TextField(this.terms)
  /** Undefined where entries have none, and so are the next two. */
  readonly hints: TextField | undefined
  readonly author: ValueColumn | undefined
  readonly sessions: Sessions | undefined
  readonly masks: RowMasks
  /** Drained before they are given back. */
  readonly accumulators = new BufferPool(length => new Accumulator(length))
  /** Cleared before they are given back. */
  readonly termSlots = new BufferPool(capacity => new TermSlots(capacity))
  readonly budget = new LoopBudget()
  readonly bm25: Bm25
  vectors: VectorStore | undefined
  /** There is none without a reader of exact vectors. */
  exact: ExactVectors | undefined

  constructor(
    readonly schema: Schema,
    readonly options: PackedOptions,
  ) {
    const { hints, author, sessions } = schema
    const columns = new RowColumns(schema)
    this.columns = columns
    this.masks = new RowMasks(columns)
    if (hints) this.hints = new TextField(this.terms)
    if (author) this.author = columns.valuesOf(author)
    if (sessions) {
      const by = { key: columns.valuesOf(sessions.key), time: columns.numbersOf(sessions.time) }
      this.sessions = new Sessions(by, columns, this.content, this.ids)
    }
    this.bm25 = { k1: 1.5, b: 0.95, ...options.bm25 }
    if (options.dimensions !== null) this.openVectors(options.dimensions)
  }

  /** The vector store, made on the first call. @throws RangeError when it has other dimensions. */
  openVectors(dimensions: number): VectorStore {
    const { simd, loadVectors } = this.options
    this.vectors ??= new VectorStore(dimensions, { simd })
    if (loadVectors) this.exact ??= new ExactVectors(dimensions, this.ids, loadVectors)
    return this.vectors
  }

  /**
   * Takes an entry in as its row. Orama's `insert` would look at each of its properties a dozen times.
   * @param analysed what the row is found by
   */
  take(row: number, entry: Entry, analysed: string): void {
    this.columns.admit(row)
    this.content.add(row, this.analyzer.index(analysed))
    if (this.hints) this.#fillHints(this.hints, row, (entry as HintedEntry).hints)
    this.columns.fill(row, entry as unknown as Readonly<Record<string, unknown>>)
  }

  /** Empties one property of a row. */
  empty(row: number, property: string): void {
    if (property === 'content') this.content.remove(row)
    else if (property === 'hints') this.hints?.remove(row)
    else this.columns.of(property).clear(row)
  }

  /** Everything that is analysed. */
  get texts(): readonly TextField[] {
    return this.hints ? [this.content, this.hints] : [this.content]
  }

  get bytes(): number {
    return (
      this.ids.bytes +
      this.texts.reduce((sum, { bytes }) => sum + bytes, 0) +
      this.terms.bytes +
      this.columns.bytes +
      (this.sessions?.bytes ?? 0) +
      this.masks.bytes +
      this.accumulators.length * 12 +
      this.termSlots.length * 2 +
      (this.vectors?.bytes ?? 0) +
      (this.exact?.bytes ?? 0)
    )
  }

  #fillHints(field: TextField, row: number, hints: readonly string[]): void {
    if (hints.length > 0)
      field.add(
        row,
        hints.flatMap(hint => this.analyzer.index(hint)),
      )
  }
}
