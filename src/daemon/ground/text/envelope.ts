import { createHash } from 'node:crypto'

export const contextVersion = 1

const open = `<service-memory-context version="${contextVersion}">`
const close = '</service-memory-context>'

/** Characters that the envelope adds. */
export const envelopeLength = open.length + close.length + 2

/**
 * Wraps session context in one delimited block (rules.md 2.4). @param text whose records went through
 * `harmless`
 */
export function envelope(text: string): string {
  return `${open}\n${text}\n${close}`
}

/** Hex SHA-256 of the exact bytes (rules.md 2.4). */
export function contextHash(inject: string): string {
  return createHash('sha256').update(inject).digest('hex')
}
