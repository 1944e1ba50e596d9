import { assessContradiction } from '../../../memory/edit/contradiction.js'

/** Longer texts say several things: two of them are near each other by what they are about alone. */
const maxLength = 2000

const words = /[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}._@/\\:+#-]*/gu
/** A word that is a name or a value wherever it stands: with digits, signs inside, or a capital that begins nothing. */
const marked = /[\p{N}._@/\\:+#-]|.\p{Lu}/u
const capital = /^\p{Lu}/u
const quotedText = /"[^"]*"|`[^`]*`|“[^”]*”/gu

/**
 * Whether two texts whose vectors are near each other may stand for one another: the same numbers, names, identifiers and
 * quotations, and neither negates the other (rules.md 1.5). Near vectors alone don't tell port 8080 from port 8081.
 */
export function saysTheSame(one: string, other: string): boolean {
  if (one.length > maxLength || other.length > maxLength) return false
  if (assessContradiction(one, other).contradictionRisk) return false
  return (
    isSame(particulars(one), particulars(other)) && isSame(one.match(quotedText), other.match(quotedText))
  )
}

/** The words that can't be said in another way, in lower case and order. */
function particulars(text: string): string[] {
  const found: string[] = []
  let end = 0
  for (const { 0: match, index } of text.matchAll(words)) {
    const word = match.replace(/[.:/\\-]+$/u, '')
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
