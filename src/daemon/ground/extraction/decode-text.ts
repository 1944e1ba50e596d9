import type { ReadingResult } from './extraction.js'

/** Bytes decoded per step. */
const stepBytes = 1024 * 1024

/**
 * Decodes bytes by their byte order mark, or as UTF-8, the declared charset or windows-1252, whichever fits
 * first. Removes NUL and unpaired surrogates, which cannot be stored. Yields after each MiB.
 * @param charset a label of the Encoding Standard; unknown labels are ignored.
 */
export function* decodeText(bytes: Uint8Array, charset?: string): Generator<undefined, string> {
  for (const label of [markedCharset(bytes) ?? 'utf-8', charset]) {
    const text = label === undefined ? undefined : yield* decodeAs(bytes, label)
    if (text !== undefined) return text
  }
  return (yield* decodeAs(bytes, 'windows-1252')) as string
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

/** @returns undefined when the bytes are not valid in that charset, or the charset is unknown. */
function* decodeAs(bytes: Uint8Array, label: string): Generator<undefined, string | undefined> {
  let text = ''
  try {
    // UTF-16 may contain a wrong unit; in other charsets a wrong byte means the guess was wrong.
    const decoder = new TextDecoder(label, { fatal: !label.startsWith('utf-16') })
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
  const markdown = yield* decodeText(bytes, charset)
  return {
    status: 'extracted',
    format,
    title: format === 'markdown' ? headingTitle(markdown) : null,
    markdown,
    marks: [],
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
