import { type BuiltinPlugins, htmlToMarkdown } from '@mdream/js'
import { atOnce } from '../../../lib/concurrency/every-few-ms.js'
import { decodeText } from './decode-text.js'
import type { Reading } from './extraction.js'

/** The parts around the text of a page are found on every page of its site. */
const around = ['nav', 'footer']
/** A page of which so little is left was cut wrongly (a `<nav>` that nobody closed): then all of it is taken. */
const leastShare = 0.2
/** Most of a page may be tags, or pictures. Where less than this is left, what would be without cuts is looked at. */
const suspiciousShare = 0.05
/** Where a page may name its charset: the standard has it within the first 1024 bytes. */
const charsetWithin = 1024
const titleWithin = 65_536

/** A web page as Markdown: its `<main>` where it has one, without navigation and footer, scripts and styles. */
export function readHtml(bytes: Uint8Array, declaredCharset?: string): Reading {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, charsetWithin)).toString(
    'latin1',
  )
  const ownCharset = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1]
  const html = atOnce(decodeText(bytes, declaredCharset ?? ownCharset))
  const markdown = bodyOf(html)
  return { status: 'extracted', format: 'html', title: titleOf(html), markdown, marks: [] }
}

function bodyOf(html: string): string {
  const body = convert(html, {
    filter: { exclude: [...around, 'title'] },
    isolateMain: /<main[\s>]/i.test(html),
  })
  if (body.length > html.length * suspiciousShare) return body
  const whole = convert(html, { filter: { exclude: ['title'] } })
  return body.length < whole.length * leastShare ? whole : body
}

function convert(html: string, plugins: BuiltinPlugins): string {
  return withoutPictures(htmlToMarkdown(html, { plugins }))
}

function titleOf(html: string): string | null {
  const title = /<title[^>]{0,100}>([^<]{1,500})</iu.exec(html.slice(0, titleWithin))?.[1]
  return (title && htmlToMarkdown(title, { format: 'text' }).trim()) || null
}

/**
 * A picture inside the page is megabytes of letters that say nothing, one without a description says nothing either.
 * (The reader's own cleaning takes seven times the memory and five times the time.)
 */
function withoutPictures(markdown: string): string {
  return markdown.replace(/\(data:[^()\s]*\)/gu, '()').replace(/!\[\]\([^()\s]*\)/gu, '')
}
