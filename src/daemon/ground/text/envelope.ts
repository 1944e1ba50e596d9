import { createHash } from 'node:crypto'
import { tagPattern } from './tag-spans.js'

export const contextVersion = 1

const open = `<service-memory-context version="${contextVersion}">`
const close = '</service-memory-context>'

/** Every element written by hooks, including escaped forms. */
const ownTags = tagPattern(String.raw`service-[\w:.-]*`)

/** Characters that the envelope adds. */
export const envelopeLength = open.length + close.length + 2

/**
 * Wraps session context in one delimited block (rules.md 2.4). @param text whose records went through
 * `harmless`
 */
export function envelope(text: string): string {
  return `${open}\n${text}\n${close}`
}

/** Escapes our element names in a text from others, so that it can neither close nor open our elements. */
export function harmless(text: string): string {
  return text.replace(ownTags, tag => tag.replace(/^(?:<|&(?:amp;)*lt;|\\u003c)/iu, '‹'))
}

/** Hex SHA-256 of the exact bytes (rules.md 2.4). */
export function contextHash(inject: string): string {
  return createHash('sha256').update(inject).digest('hex')
}
