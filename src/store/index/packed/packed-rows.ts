import { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { Accumulator } from '../arrays/accumulator.js'
import { BufferPool } from '../arrays/buffer-pool.js'
import { grown } from '../arrays/growable.js'
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
import { type Bm25, frequencyBits, maxFrequency, TextField } from '../words/text-field.js'

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

/**
 * The terms that a search looks for in rows, by their numbers: a row is read by one look into an array for each of its
 * terms. Searches side by side don't share one.
 */
class TermSlots {
  /** By term: 0 for one that is not looked for, otherwise its place and one. */
  readonly #slots: Uint16Array
  readonly #wanted: number[] = []
  /** What `read` found: places of terms and how often each is said. */
  places = new Uint16Array(64)
  frequencies = new Uint8Array(64)

  /** @param capacity one more than the highest number of a term. */
  constructor(capacity: number) {
    this.#slots = new Uint16Array(capacity)
  }

  get length(): number {
    return this.#slots.length
  }

  /** @param terms up to 65,535 of them; their places are those of this list. */
  fill(terms: Iterable<number>): void {
    for (const term of terms) {
      this.#wanted.push(term)
      this.#slots[term] = this.#wanted.length
    }
    this.places = grown(this.places, this.#wanted.length)
    this.frequencies = grown(this.frequencies, this.#wanted.length)
  }

  /** Leaves it as it was before `fill`. */
  clear(): void {
    for (const term of this.#wanted) this.#slots[term] = 0
    this.#wanted.length = 0
  }

  /** Puts the terms that a row holds into `places` and `frequencies`, in the order in which they are stored. @returns how many */
  read({ forward }: TextField, row: number): number {
    const slots = this.#slots
    const { places, frequencies } = this
    let count = 0
    for (let block = forward.first(row); block !== 0; block = forward.next(block)) {
      const words = forward.words(block)
      const end = forward.end(block)
      for (let i = forward.start(block); i < end; i++) {
        const entry = words[i]!
        // Undefined for a term that came after the search began.
        const slot = slots[entry >>> frequencyBits]!
        if (!(slot > 0)) continue
        places[count] = slot - 1
        frequencies[count++] = entry & maxFrequency
      }
    }
    return count
  }
}
