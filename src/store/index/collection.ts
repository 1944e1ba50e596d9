/** What every entry has, whatever its collection. */
export interface Entry {
  id: string
  /** Change sequence of the row that this entry was made from; later changes win. */
  change: number
  /** Analysed and dropped: the index keeps words, never a text. */
  content: string
}

/** An entry with alternate phrasings, which are analysed and dropped too and searched as a channel of their own. */
export interface HintedEntry extends Entry {
  hints: readonly string[]
}

/**
 * What a column holds of an entry: `value` one text out of few, or none; `labels` any number of them; `number`; `flag`
 * yes or no.
 */
export type ColumnKind = 'value' | 'labels' | 'number' | 'flag'

/** The fields of an entry that have columns: all but what every entry has. */
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

/** `exists: false`: no value at all. */
export type ValueTest = { eq?: string; in?: readonly string[]; exists?: boolean }
/** Both ends belong to it. */
export type NumberTest = { gte?: number | undefined; lte?: number | undefined }
export type LabelTest = { containsAll?: readonly string[]; containsAny?: readonly string[] }

interface TestOf {
  value: ValueTest
  labels: LabelTest
  number: NumberTest
  flag: boolean
}

/** A condition on entries, in the words of Orama's `where`: every part of it must hold. */
export type Where<E extends Entry> = { and?: Where<E>[]; or?: Where<E>[]; not?: Where<E> } & {
  [Name in ColumnName<E>]?: TestOf[KindOf<E[Name]>]
}

/** The columns of a collection, and what they are for. Rows, filters and snapshots are made by it. */
export interface Schema {
  /** Of the collection. */
  readonly name: string
  /** Whether its entries have hints. */
  readonly hints: boolean
  readonly columns: { readonly [name: string]: ColumnKind }
  /** The value that names who said it: it counts as text, once, unless the text names it anyway. */
  readonly author?: string
  /**
   * Entries of one key (a conversation, a file) follow each other by a number. They lend each other evidence, and a
   * search tells facts of its hits (see `IndexHits`); without this it does neither.
   */
  readonly sessions?: { readonly key: string; readonly time: string }
}

/** Entries of one kind: their schema, and what may be asked of them. */
export interface Collection<E extends Entry, Filter> {
  readonly schema: Schema & {
    readonly hints: E extends HintedEntry ? true : false
    readonly columns: { readonly [Name in ColumnName<E>]-?: KindOf<E[Name]> }
    readonly author?: NameOf<E, 'value'>
    readonly sessions?: { readonly key: NameOf<E, 'value'>; readonly time: NameOf<E, 'number'> }
  }
  /** The rows that a search with this filter, or without any, may give. */
  where(filter?: Filter): Where<E>
}
