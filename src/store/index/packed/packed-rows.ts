import { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { Accumulator } from '../arrays/accumulator.js'
import { BufferPool, growArray } from '../arrays/growable.js'
import type { Entry, HintedEntry, Schema } from '../collection.js'
import { RowColumns, type ValueColumn } from '../rows/columns.js'
import { RowIds } from '../rows/row-ids.js'
import { RowMasks } from '../rows/row-masks.js'
import { Sessions } from '../rows/sessions.js'
import { ExactVectors, type LoadVectors } from '../vectors/exact-vectors.js'
import { VectorStore } from '../vectors/vector-store.js'
import { Analyzer } from '../words/analysis/analyzer.js'
import { Dictionary } from '../words/dictionary.js'
import { type Bm25, frequencyBits, maxFrequency, TextField } from '../words/text-field.js'

export interface PackedOptions {
  /** Length of the vectors; null until the first one is known. */
  dimensions: number | null
  bm25?: Partial<Bm25> | undefined
  /** Loads exact vectors for rescoring; without it the quantised order is final. */
  loadVectors?: LoadVectors | undefined
  /** false scans vectors in plain JavaScript. */
  simd?: boolean | undefined
}

/**
 * All data of the packed index, according to its schema. Each entry has a row, numbered from 1; see `RowIds`.
 */
export class PackedRows {
  readonly ids = new RowIds()
  readonly analyzer = new Analyzer()
  readonly terms = new Dictionary()
  readonly columns: RowColumns
  readonly content = new TextField(this.terms)
  /** This and the next two are undefined if the schema lacks them. */
  readonly hints: TextField | undefined
  readonly author: ValueColumn | undefined
  readonly sessions: Sessions | undefined
  readonly masks: RowMasks
  /** Drained before they are returned. */
  readonly accumulators = new BufferPool(length => new Accumulator(length))
  /** Cleared before they are returned. */
  readonly termSlots = new BufferPool(capacity => new TermSlots(capacity))
  readonly budget = new LoopBudget()
  readonly bm25: Bm25
  vectors: VectorStore | undefined
  /** Undefined without a reader of exact vectors. */
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

  /** Returns the vector store, created on the first call. @throws RangeError for other dimensions. */
  openVectors(dimensions: number): VectorStore {
    const { simd, loadVectors } = this.options
    this.vectors ??= new VectorStore(dimensions, { simd })
    if (loadVectors) this.exact ??= new ExactVectors(dimensions, this.ids, loadVectors)
    return this.vectors
  }

  /**
   * Fills a row with an entry.
   * @param analysed the text to index
   */
  take(row: number, entry: Entry, analysed: string): void {
    this.columns.admit(row)
    this.content.add(row, this.analyzer.index(analysed))
    if (this.hints) this.#fillHints(this.hints, row, (entry as HintedEntry).hints)
    this.columns.fill(row, entry as unknown as Readonly<Record<string, unknown>>)
  }

  /** Removes an entry. @param keepVector for a newer entry of the same id that takes over the row */
  remove(row: number, { keepVector }: { keepVector: boolean }): void {
    for (const text of this.texts) text.remove(row)
    this.columns.dismiss(row)
    if (keepVector) return
    this.vectors?.remove(row)
    this.exact?.forget(row)
  }

  /** All analysed text fields. */
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

/**
 * The terms a search counts in rows. One array lookup per term of a row; concurrent searches use separate
 * instances.
 */
class TermSlots {
  /** By term: 0 if not wanted, otherwise its position plus one. */
  readonly #slots: Uint16Array
  readonly #wanted: number[] = []
  /** Results of `read`: positions of terms and their frequencies. */
  places = new Uint16Array(64)
  frequencies = new Uint8Array(64)

  /** @param capacity one more than the highest term number. */
  constructor(capacity: number) {
    this.#slots = new Uint16Array(capacity)
  }

  get length(): number {
    return this.#slots.length
  }

  /** @param terms at most 65,535; positions follow this list. */
  fill(terms: Iterable<number>): void {
    for (const term of terms) {
      this.#wanted.push(term)
      this.#slots[term] = this.#wanted.length
    }
    this.places = growArray(this.places, this.#wanted.length)
    this.frequencies = growArray(this.frequencies, this.#wanted.length)
  }

  /** Undoes `fill`. */
  clear(): void {
    for (const term of this.#wanted) this.#slots[term] = 0
    this.#wanted.length = 0
  }

  /**
   * Finds the wanted terms of a row, in storage order, and fills `places` and `frequencies`. @returns their
   * number
   */
  read({ forward }: TextField, row: number): number {
    const slots = this.#slots
    const { places, frequencies } = this
    let count = 0
    for (let block = forward.first(row); block !== 0; block = forward.next(block)) {
      const words = forward.words(block)
      const end = forward.end(block)
      for (let i = forward.start(block); i < end; i++) {
        const entry = words[i]!
        // Undefined for a term added after the search began.
        const slot = slots[entry >>> frequencyBits]!
        if (!(slot > 0)) continue
        places[count] = slot - 1
        frequencies[count++] = entry & maxFrequency
      }
    }
    return count
  }
}
