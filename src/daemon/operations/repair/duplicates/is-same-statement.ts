import { assessContradiction } from '../../../memory/edit/contradiction.js'

/** Longer texts say several things, so similar vectors only show a common topic. */
const maxLength = 2000

const words = /[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}._@/\\:+#-]*/gu
/** A name or a value: a word with digits, inner punctuation, or a capital not at the start. */
const marked = /[\p{N}._@/\\:+#-]|.\p{Lu}/u
const capital = /^\p{Lu}/u
const quotedText = /"[^"]*"|`[^`]*`|“[^”]*”/gu

/**
 * True when two texts with similar vectors may replace each other: same numbers, names, identifiers and
 * quotations, and neither negates the other (rules.md 1.5). Vectors alone don't distinguish port 8080 from
 * port 8081.
 */
export function isSameStatement(one: string, other: string): boolean {
  if (one.length > maxLength || other.length > maxLength) return false
  if (assessContradiction(one, other).contradictionRisk) return false
  return (
    isSame(particulars(one), particulars(other)) && isSame(one.match(quotedText), other.match(quotedText))
  )
}

/** Names and values of a text, in lower case, sorted. */
function particulars(text: string): string[] {
  const found: string[] = []
  let end = 0
  for (const { 0: match, index } of text.matchAll(words)) {
    const word = match.replace(/(?<![.:/\\-])[.:/\\-]+$/u, '')
    const begins = index === 0 || /[.!?:]\s*$/u.test(text.slice(end, index))
    end = index + match.length
    if (/[.!?:]$/u.test(match)) end = index + word.length
    if (marked.test(word) || (capital.test(word) && !begins && word !== 'I')) found.push(word.toLowerCase())
  }
  return found.sort()
}

function isSame(one: readonly string[] | null, other: readonly string[] | null): boolean {
  return JSON.stringify([...(one ?? [])].sort()) === JSON.stringify([...(other ?? [])].sort())
}
