/** Text file formats. */
export type TextFormat = 'text' | 'markdown' | 'json' | 'html' | 'csv'

/** Readable formats, named by file extension (documents.md#what-can-be-read). */
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

/** A page, sheet or row of the original, at its offset in the Markdown in UTF-16 units. */
export interface Mark {
  at: number
  kind: 'page' | 'sheet' | 'row'
  /** Page or row number, counted from 1, or sheet name. */
  label: string
}

/** The page or sheet label shown with a chunk. */
export function pageOf(mark: Mark | null): string | null {
  return mark && `${mark.kind} ${mark.label}`
}

/** Why a file could not be read. */
export type FailureReason =
  /** No bytes, or only white space. */
  | 'empty'
  /** A document without words, such as scanned pages or pictures. */
  | 'no_text'
  /** Not one of the readable formats. */
  | 'unsupported'
  | 'malformed'
  | 'encrypted'
  /** The reader refused its unpacked size. */
  | 'resource_limit'
  /** More than `maxCharacters` of text. */
  | 'too_much_text'
  | 'too_much_memory'
  | 'timed_out'
  /** The child process died while reading it. */
  | 'crashed'
  /** The file could not be opened or read. */
  | 'unreadable'

export interface ExtractedText {
  status: 'extracted'
  format: Format
  /** Title from the document's metadata; null without one. */
  title: string | null
  /** Markdown; for `text` the unchanged text. Without NUL and unpaired surrogates. */
  markdown: string
  /** In the order of their offsets. */
  marks: Mark[]
  /** The charset of a text that says none. */
  guessedCharset?: string
  /** Bytes read from the file. */
  bytes: number
  durationMs: number
}

export interface ExtractionFailure {
  status: 'failed'
  reason: FailureReason
  /** One sentence for people: the problem and what to do. */
  message: string
}

export type Extraction = ExtractedText | ExtractionFailure

/** The result of reading one file's bytes. */
export type ReadingResult =
  | Pick<ExtractedText, 'status' | 'format' | 'title' | 'markdown' | 'marks' | 'guessedCharset'>
  | ExtractionFailure

/** Maximum length of a file's text in UTF-16 units. */
export const maxCharacters = 20_000_000

export function extractionFailure(reason: FailureReason, message: string): ExtractionFailure {
  return { status: 'failed', reason, message }
}
