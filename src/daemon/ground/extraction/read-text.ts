import { decodeText, storableText } from './decode-text.js'
import type { Reading } from './extraction.js'

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
    ?.replace(/\s#*\s*$/u, '')
  return title?.trim() || null
}
