import { extractionFailure, maxCharacters, type ReadingResult } from './extraction.js'
import { guessCharset, guessUtf16 } from './guess-charset.js'

/** Bytes decoded per step. */
const stepBytes = 1024 * 1024

/** The charset that a text was decoded with, if it was guessed. */
export interface Guess {
  guessedCharset?: string
}

const noText: Readonly<Partial<Record<string, string>>> = {
  pdf: 'its pages contain only images; run text recognition (OCR) on it first',
}

/** Removes characters that cannot be stored; fails without text or with too much of it. */
export function checkReading(reading: ReadingResult & { status: 'extracted' }): ReadingResult {
  const { markdown, title, format } = reading
  if (markdown.length > maxCharacters)
    return extractionFailure(
      'too_much_text',
      `it contains more than ${maxCharacters} characters of text; split it`,
    )
  if (!/\S/u.test(markdown))
    return format === 'text' || format === 'markdown'
      ? extractionFailure('empty', 'it is empty')
      : extractionFailure('no_text', noText[format] ?? 'it contains no text')
  // Readers with marks have cleaned their text already: removing characters here would shift the marks.
  return { ...reading, markdown: storableText(markdown), title: title === null ? null : storableText(title) }
}

/**
 * Decodes bytes by their byte order mark, or as UTF-8, the declared charset or a guessed one, whichever fits
 * first. Removes NUL and unpaired surrogates, which cannot be stored. Yields after each MiB.
 * @param charset a label of the Encoding Standard; unknown labels are ignored.
 * @param guess receives the charset if it was guessed.
 */
export function* decodeText(
  bytes: Uint8Array,
  charset?: string,
  guess: Guess = {},
): Generator<undefined, string> {
  const marked = markedCharset(bytes)
  const unmarked = marked === undefined ? (guessUtf16(bytes) ?? escapedCharset(bytes)) : undefined
  for (const label of [marked ?? unmarked ?? 'utf-8', charset]) {
    const text = label === undefined ? undefined : yield* decodeAs(bytes, label)
    if (text === undefined) continue
    if (label === unmarked) guess.guessedCharset = label
    return text
  }
  guess.guessedCharset = guessCharset(bytes)
  return (yield* decodeAs(bytes, guess.guessedCharset, { isFinal: true })) as string
}

/** The charset of a content type such as `text/html; charset=koi8-r`. */
export function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1]
}

/** Removes characters SQLite and JSON cannot store: NUL and unpaired surrogates. */
export function storableText(text: string): string {
  const whole = text.includes('\0') ? text.replaceAll('\0', '') : text
  return whole.isWellFormed() ? whole : whole.replace(/\p{Surrogate}/gu, '')
}

function markedCharset([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return undefined
}

/** ISO-2022-JP is ASCII with escapes, so it is valid UTF-8 too. */
function escapedCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, stepBytes))
  return head.includes('\x1b$B') || head.includes('\x1b$@') ? 'iso-2022-jp' : undefined
}

/**
 * @param isFinal true if wrong bytes become U+FFFD, because no other charset is left.
 * @returns undefined when the bytes are not valid in that charset, or the charset is unknown.
 */
function* decodeAs(
  bytes: Uint8Array,
  label: string,
  { isFinal = false } = {},
): Generator<undefined, string | undefined> {
  let text = ''
  try {
    // UTF-16 may contain a wrong unit; in other charsets a wrong byte means the guess was wrong.
    const decoder = new TextDecoder(label, { fatal: !isFinal && !label.startsWith('utf-16') })
    for (let at = 0; at < bytes.length; at += stepBytes) {
      text += storableText(decoder.decode(bytes.subarray(at, at + stepBytes), { stream: true }))
      yield
    }
    return text + storableText(decoder.decode())
  } catch {
    return undefined
  }
}

/** A title is searched only this far. */
const titleWithin = 4096

/** Reads text and Markdown unchanged. */
export function* readText(
  bytes: Uint8Array,
  format: 'text' | 'markdown',
  charset?: string,
): Generator<undefined, ReadingResult> {
  const guess: Guess = {}
  const markdown = yield* decodeText(bytes, charset, guess)
  return {
    status: 'extracted',
    format,
    title: format === 'markdown' ? headingTitle(markdown) : null,
    markdown,
    marks: [],
    ...guess,
  }
}

/** The first level-1 heading near the beginning. */
export function headingTitle(markdown: string): string | null {
  const title = /^ {0,3}# +([^\n]+)/mu
    .exec(storableText(markdown.slice(0, titleWithin)))?.[1]
    ?.trimEnd()
    .replace(/(?<=\s)#+$/u, '')
  return title?.trim() || null
}
