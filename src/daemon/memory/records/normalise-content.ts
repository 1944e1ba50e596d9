import { createHash, hash as hashOf } from 'node:crypto'
import { runToEnd } from '../../../lib/concurrency/every-few-ms.js'
import { isAscii } from '../../../lib/text/is-ascii.js'

export type InferredType = 'preference' | 'decision' | 'rule' | 'learning' | 'issue' | 'fact'

export interface ParsedContent {
  /** Storage content without its prefixes; empty when nothing is left. */
  content: string
  /** Set by the prefix `critical: `. */
  critical: boolean
  /** Set by the prefix `[tag1,tag2]: `. */
  tags: string[] | undefined
}

/** Characters between two steps. */
const stepLength = 64 * 1024
/** Skips single spaces, which would be most matches. */
const uneven = /\s{2,}|[^\S ]/gu

/** Trims, and turns every run of whitespace into one space (rules.md 1.1.1). */
export function storageContent(text: string): string {
  return runToEnd(storageSteps(text))
}

/** `storageContent` in steps: a text of several MiB would block the event loop. */
export function* storageSteps(text: string): Generator<undefined, string> {
  const parts: string[] = []
  let endsInSpace = true
  for (const piece of textSlices(text)) {
    const even = piece.replace(uneven, ' ')
    const part: string = endsInSpace && even.startsWith(' ') ? even.slice(1) : even
    // A run of whitespace across two slices is still one space.
    if (part !== '') endsInSpace = part.endsWith(' ')
    parts.push(part)
    yield
  }
  return parts.join('').trim()
}

/** Hex SHA-256 that identifies equal contents (rules.md 1.1.2 and 1.1.3). @param content storage content */
export function contentHash(content: string): string {
  return runToEnd(hashSteps(content))
}

/** `contentHash` in steps. */
export function* hashSteps(content: string): Generator<undefined, string> {
  const bare = content.slice(0, yield* endWithoutMarks(content)) || content
  if (bare.length <= stepLength) return hashOf('sha256', bare.toLowerCase(), 'hex')
  const hash = createHash('sha256')
  // The lower case of a capital sigma depends on the word around it; other characters are independent.
  for (const piece of textSlices(bare, bare.includes('\u03a3') ? ' ' : undefined)) {
    hash.update(piece.toLowerCase())
    yield
  }
  return hash.digest('hex')
}

/**
 * Removes the prefixes `critical: ` and `[tag1,tag2]: `, alone or in this order (rules.md 1.2).
 * @param stored storage content
 */
export function parsePrefixes(stored: string): ParsedContent {
  let content = stored
  const critical = /^critical:(?: |$)/iu.exec(content)
  if (critical) content = content.slice(critical[0].length)
  const tagged = /^\[([^\][]{1,1000})\]:(?: |$)/u.exec(content)
  if (tagged) content = content.slice(tagged[0].length)
  const tags = tagged?.[1]
    ?.split(',')
    .map(tag => tag.trim())
    .filter(Boolean)
  return { content, critical: critical !== null, tags }
}

const typeWords: readonly [InferredType, RegExp][] = [
  ['preference', /\b(?:prefers|likes|wants)\b/iu],
  ['decision', /\b(?:decided|agreed|will use)\b/iu],
  ['rule', /\b(?:never|always|must)\b/iu],
  ['learning', /\b(?:learned|discovered)\b/iu],
  ['issue', /\b(?:bug|broken|problem)\b/iu],
]

/** Without the `u` flag: equivalent for ASCII texts, in a tenth of the time. */
const asciiTypeWords = typeWords.map(([type, { source }]) => [type, new RegExp(source, 'i')] as const)

/** Overlap between slices, longer than any keyword with its context. */
const overlap = 32

/**
 * Infers the type of an explicit save without one, from the first kind whose keyword matches (rules.md 1.2).
 */
export function inferType(content: string): InferredType {
  return runToEnd(typeSteps(content))
}

/** `inferType` in steps. */
export function* typeSteps(content: string): Generator<undefined, InferredType> {
  let open = isAscii(content) ? asciiTypeWords : typeWords
  let found: InferredType = 'fact'
  for (let start = 0; start < content.length && open.length > 0; start += stepLength) {
    const from = Math.max(0, start - overlap)
    const piece = content.slice(from, start + stepLength + overlap)
    const at = open.findIndex(([, words]) => words.test(piece) && containsWord(content, from, piece, words))
    if (at >= 0) {
      found = open[at]![0]
      open = open.slice(0, at)
    }
    yield
  }
  return found
}

/** True when a keyword is a complete word in the whole content and not the rest of a cut word. */
function containsWord(content: string, from: number, piece: string, words: RegExp): boolean {
  if (piece.length === content.length) return true
  const end = from + piece.length
  return [...piece.matchAll(new RegExp(words, 'giu'))].some(
    ({ index, 0: { length } }) =>
      (from === 0 || index > 0) && (end === content.length || index + length < piece.length),
  )
}

/** Index before one trailing run of `. , ! ? ; :`; a loop, since a regex would rescan long runs. */
function* endWithoutMarks(text: string): Generator<undefined, number> {
  let end = text.length
  while (end > 0 && '.,!?;:'.includes(text.charAt(end - 1))) if (--end % stepLength === 0) yield
  return end
}

/** Splits a text into slices without splitting a character; with `edge`, only before the next `edge`. */
export function* textSlices(text: string, edge?: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const least = start + stepLength
    const last = text.charCodeAt(least - 1)
    const whole = last >= 0xd800 && last <= 0xdbff ? least - 1 : least
    const found = edge === undefined ? whole : text.indexOf(edge, least)
    const end = found < 0 ? text.length : found
    yield text.slice(start, end)
    start = end
  }
}
