import { createHash } from 'node:crypto'

export type InferredType = 'preference' | 'decision' | 'rule' | 'learning' | 'issue' | 'fact'

export interface ParsedContent {
  /** Storage content without its prefixes; empty when nothing is left. */
  content: string
  /** Set by the prefix `critical: `. */
  critical: boolean
  /** Set by the prefix `[tag1,tag2]: `. */
  tags: string[] | undefined
}

/** Trimmed, with every run of whitespace as one space (spec 1, 1.1.1). */
export function storageContent(text: string): string {
  return text.trim().replace(/\s+/gu, ' ')
}

/** Hex SHA-256 of what makes two contents the same memory (spec 1, 1.1.2 and 1.1.3). @param content storage content */
export function contentHash(content: string): string {
  const lower = content.toLowerCase()
  return createHash('sha256')
    .update(withoutTrailingMarks(lower) || lower)
    .digest('hex')
}

/** Takes the prefixes `critical: ` and `[tag1,tag2]: ` off, alone or in this order (spec 1, 1.2). */
export function parsePrefixes(text: string): ParsedContent {
  let content = storageContent(text)
  const critical = /^critical: ?/iu.exec(content)
  if (critical) content = content.slice(critical[0].length)
  const tagged = /^\[([^\][]{1,1000})\]: ?/u.exec(content)
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

/** The type of an explicit save that names none, by keyword, in the order of the spec (spec 1, 1.2). */
export function inferType(content: string): InferredType {
  return typeWords.find(([, words]) => words.test(content))?.[0] ?? 'fact'
}

/** Without one trailing run of `. , ! ? ; :`; a loop, since a regex would rescan long runs. */
function withoutTrailingMarks(text: string): string {
  let end = text.length
  while (end > 0 && '.,!?;:'.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
