import type { Reading } from './extraction.js'

/** Bytes that are decoded in one step. */
const stepBytes = 1024 * 1024

/**
 * The text of bytes: by their byte order mark, else as UTF-8 if they are, else in the charset that is named, else in
 * windows-1252, which reads anything. Without NUL and half surrogate pairs, which cannot be stored.
 * Yields between steps of a MiB.
 * @param charset a label of the Encoding Standard; one that it does not know is passed over.
 */
export function* decodeText(bytes: Uint8Array, charset?: string): Generator<undefined, string> {
  for (const label of [markedCharset(bytes) ?? 'utf-8', charset]) {
    const text = label === undefined ? undefined : yield* decodeAs(bytes, label)
    if (text !== undefined) return text
  }
  return (yield* decodeAs(bytes, 'windows-1252')) as string
}

/** The charset that a content type names: `text/html; charset=koi8-r`. */
export function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1]
}

/** Takes out what SQLite and JSON cannot hold: NUL, and halves of surrogate pairs. */
export function storableText(text: string): string {
  const whole = text.includes('\0') ? text.replaceAll('\0', '') : text
  return whole.isWellFormed() ? whole : whole.replace(/\p{Surrogate}/gu, '')
}

function markedCharset([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return undefined
}

/** @returns undefined when the bytes are not in that charset, or nobody knows it. */
function* decodeAs(bytes: Uint8Array, label: string): Generator<undefined, string | undefined> {
  let text = ''
  try {
    // UTF-16 with one wrong unit is UTF-16 all the same; anything else with a wrong byte is another charset.
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

/** How far a title is looked for. */
const titleWithin = 4096

/** Text and Markdown as they are. */
export function* readText(
  bytes: Uint8Array,
  format: 'text' | 'markdown',
  charset?: string,
): Generator<undefined, Reading> {
  const markdown = yield* decodeText(bytes, charset)
  return {
    status: 'extracted',
    format,
    title: format === 'markdown' ? headingTitle(markdown) : null,
    markdown,
    marks: [],
  }
}

/** The first heading of the first level near the beginning. */
export function headingTitle(markdown: string): string | null {
  const title = /^ {0,3}# +([^\n]+)/mu
    .exec(storableText(markdown.slice(0, titleWithin)))?.[1]
    ?.trimEnd()
    .replace(/(?<=\s)#+$/u, '')
  return title?.trim() || null
}
