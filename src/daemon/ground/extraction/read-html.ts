import { type BuiltinPlugins, htmlToMarkdown } from '@mdream/js'
import { runToEnd } from '../../../lib/concurrency/every-few-ms.js'
import { decodeText, type Guess } from './decode-text.js'
import type { ReadingResult } from './extraction.js'

/** Navigation and footers repeat on every page of a site. */
const around = ['nav', 'footer']
/** If less than this share remains, a tag was probably unclosed, and the whole page is used. */
const leastShare = 0.2
/**
 * Below this share the page is converted again without cuts: markup or pictures may still explain the rest.
 */
const suspiciousShare = 0.05
/** The standard requires the charset declaration within the first 1024 bytes. */
const charsetWithin = 1024
const titleWithin = 65_536

/**
 * Converts a web page to Markdown: its `<main>` if present, without navigation, footer, scripts and styles.
 */
export function readHtml(bytes: Uint8Array, declaredCharset?: string): ReadingResult {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, charsetWithin)).toString(
    'latin1',
  )
  const ownCharset = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1]
  const guess: Guess = {}
  const html = runToEnd(decodeText(bytes, declaredCharset ?? ownCharset, guess))
  const markdown = bodyOf(html)
  return { status: 'extracted', format: 'html', title: titleOf(html), markdown, marks: [], ...guess }
}

function bodyOf(html: string): string {
  const body = htmlAsMarkdown(html, {
    filter: { exclude: [...around, 'title'] },
    isolateMain: /<main[\s>]/i.test(html),
  })
  if (body.length > html.length * suspiciousShare) return body
  const whole = htmlAsMarkdown(html, { filter: { exclude: ['title'] } })
  return body.length < whole.length * leastShare ? whole : body
}

/** Converts a piece of HTML to Markdown. */
export function htmlAsMarkdown(html: string, plugins: BuiltinPlugins = {}): string {
  return withoutPictures(htmlToMarkdown(html, { plugins }))
}

function titleOf(html: string): string | null {
  const title = /<title[^>]{0,100}>([^<]{1,500})</iu.exec(html.slice(0, titleWithin))?.[1]
  return (title && htmlToMarkdown(title, { format: 'text' }).trim()) || null
}

/**
 * Removes inline images, which are megabytes of base64, and images without a description. The converter's own
 * cleaning needs seven times the memory and five times the time.
 */
function withoutPictures(markdown: string): string {
  return markdown.replace(/\(data:[^()\s]*\)/gu, '()').replace(/!\[\]\([^()\s]*\)/gu, '')
}
