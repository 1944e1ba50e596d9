/** Formats of files that are text. */
export type TextFormat = 'text' | 'markdown' | 'json' | 'html' | 'csv'

/** Formats that can be read, by the extension that names them (documents.md#what-can-be-read). */
export type Format =
  | TextFormat
  | 'pdf'
  | 'doc'
  | 'docx'
  | 'docm'
  | 'odt'
  | 'rtf'
  | 'epub'
  | 'ppt'
  | 'pptx'
  | 'ppsx'
  | 'odp'
  | 'xls'
  | 'xlsx'
  | 'xlsm'
  | 'ods'

/** A page, sheet or row of the original that begins at an offset of the Markdown, in UTF-16 units. */
export interface Mark {
  at: number
  kind: 'page' | 'sheet' | 'row'
  /** Number of the page or row, counted from 1, or name of the sheet. */
  label: string
}

/** A page or sheet as it is shown with a chunk. */
export function pageOf(mark: Mark | null): string | null {
  return mark && `${mark.kind} ${mark.label}`
}

/** Why a file could not be read. */
export type FailureReason =
  /** No bytes, or a text of nothing but white space. */
  | 'empty'
  /** A document without words: scanned pages, pictures. */
  | 'no_text'
  /** None of the formats. */
  | 'unsupported'
  | 'malformed'
  | 'encrypted'
  /** The reader refused what it unpacks to. */
  | 'resource_limit'
  /** More than `maxCharacters` of text. */
  | 'too_much_text'
  | 'too_much_memory'
  | 'timed_out'
  /** The child process ended under it. */
  | 'crashed'
  /** The file could not be opened or read. */
  | 'unreadable'

export interface Extracted {
  status: 'extracted'
  format: Format
  /** As the document itself has it; null where it has none. */
  title: string | null
  /** Markdown; for `text` the text as it is. No NUL, no half surrogate pairs. */
  markdown: string
  /** In the order of their places. */
  marks: Mark[]
  /** Read from the file. */
  bytes: number
  durationMs: number
}

export interface NotExtracted {
  status: 'failed'
  reason: FailureReason
  /** A sentence for people: what is wrong, and what to do. */
  message: string
}

export type Extraction = Extracted | NotExtracted

/** What a reader makes of the bytes of one file. */
export type Reading = Pick<Extracted, 'status' | 'format' | 'title' | 'markdown' | 'marks'> | NotExtracted

/** Characters (UTF-16 units) of text that one file may become. */
export const maxCharacters = 20_000_000

export function failed(reason: FailureReason, message: string): NotExtracted {
  return { status: 'failed', reason, message }
}
