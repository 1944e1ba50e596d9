/** Fields of every entry, whatever its collection. */
export interface Entry {
  id: string
  /** Change sequence of the entry's source row; later changes win. */
  change: number
  /** Analysed and dropped: the index stores words, never texts. */
  content: string
}

/** An entry with alternate phrasings, which are analysed, dropped, and searched as a separate channel. */
export interface HintedEntry extends Entry {
  hints: readonly string[]
}

/** Column types: `value` is one text out of few, or none; `labels` any number of texts; `flag` yes or no. */
export type ColumnKind = 'value' | 'labels' | 'number' | 'flag'

/** The entry fields with columns: all but those of every entry. */
export type ColumnName<E extends Entry> = Exclude<keyof E, keyof HintedEntry> & string

type KindOf<Field> = [NonNullable<Field>] extends [boolean]
  ? 'flag'
  : [NonNullable<Field>] extends [number]
    ? 'number'
    : [NonNullable<Field>] extends [string]
      ? 'value'
      : 'labels'

type NameOf<E extends Entry, Kind extends ColumnKind> = {
  [Name in ColumnName<E>]: KindOf<E[Name]> extends Kind ? Name : never
}[ColumnName<E>]

/** `exists: false` matches entries without a value. */
export type ValueTest = { eq?: string; in?: readonly string[]; exists?: boolean }
/** Both ends are inclusive. */
export type NumberTest = { gte?: number | undefined; lte?: number | undefined }
export type LabelTest = { containsAll?: readonly string[]; containsAny?: readonly string[] }

interface TestOf {
  value: ValueTest
  labels: LabelTest
  number: NumberTest
  flag: boolean
}

/** A condition on entries in the syntax of Orama's `where`; all parts must match. */
export type Where<E extends Entry> = { and?: Where<E>[]; or?: Where<E>[]; not?: Where<E> } & {
  [Name in ColumnName<E>]?: TestOf[KindOf<E[Name]>]
}

/** The columns of a collection and their roles. Rows, filters and snapshots depend on it. */
export interface Schema {
  /** Name of the collection. */
  readonly name: string
  /** True if its entries have hints. */
  readonly hints: boolean
  readonly columns: { readonly [name: string]: ColumnKind }
  /** Column with the author, indexed as text once, unless the text names the author anyway. */
  readonly author?: string
  /**
   * Groups entries by a key (a conversation, a file), ordered by a number. Entries of a group lend each other
   * evidence, and searches return facts about hits (see `IndexHits`); without this they do neither.
   */
  readonly sessions?: { readonly key: string; readonly time: string }
}

/** Entries of one kind: their schema and filters. */
export interface Collection<E extends Entry, Filter> {
  readonly schema: Schema & {
    readonly hints: E extends HintedEntry ? true : false
    readonly columns: { readonly [Name in ColumnName<E>]-?: KindOf<E[Name]> }
    readonly author?: NameOf<E, 'value'>
    readonly sessions?: { readonly key: NameOf<E, 'value'>; readonly time: NameOf<E, 'number'> }
  }
  /** The rows a search with this filter may return; without a filter its default. */
  where(filter?: Filter): Where<E>
}
