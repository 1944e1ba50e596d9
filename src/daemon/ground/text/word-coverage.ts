import { lazy } from '../../../lib/concurrency/lazy.js'
import { Analyzer, holdsWord, weakTerms, weakWord } from '../../../store/index/words/analysis/analyzer.js'

/** A question with more words needs only as many of them. */
const fullQuestionWords = 5

/** Shared, since its cache makes repeated words cheap. */
const analyzer = lazy(() => new Analyzer())

/**
 * Returns a function that gives the share of a query's words that a text contains, 0..1. Weak words count
 * half, and a long question needs only five words (ranking.md#kinds-beside-each-other).
 */
export function coverageOf(query: string): (text: string) => number {
  const asked = [...analyzer().asked(query)]
  const weightOf = (words: typeof asked) =>
    words.reduce((sum, [term]) => sum + (weakTerms.has(term) ? weakWord : 1), 0)
  const full = Math.min(weightOf(asked), fullQuestionWords)
  return text => {
    const own = new Set(analyzer().index(text))
    const found = asked.filter(word => holdsWord(own, word))
    return full === 0 ? 0 : Math.min(1, weightOf(found) / full)
  }
}

/** Folded stems of a text, without the most common words. */
export function stemsOf(text: string): Set<string> {
  return new Set(analyzer().index(text))
}

/** Folded stems of a question, without question words and weak ones. */
export function questionStems(text: string): Set<string> {
  return new Set(
    analyzer()
      .query(text)
      .filter(term => !weakTerms.has(term)),
  )
}

/** Maximum length of an excerpt, in UTF-16 units. */
const maxLength = 400

/** Characters of the excerpt before the first match. */
const lead = 60

/** The part of a passage with most words of a query; `…` marks omitted text. */
export function excerptAround(text: string, query: string): string {
  if (text.length <= maxLength) return text.trim()
  const matches = matchesIn(text, query)
  const start = startOf(text, bestStart(matches))
  const end = endOf(text, start)
  return `${start > 0 ? '…' : ''}${text.slice(start, end).trim()}${end < text.length ? '…' : ''}`
}

interface Match {
  at: number
  terms: readonly string[]
}

function matchesIn(text: string, query: string): Match[] {
  const wanted = new Set(analyzer().query(query))
  return [...text.matchAll(/\S+/gu)].flatMap(({ index, 0: word }) => {
    const terms = analyzer()
      .index(word)
      .filter(term => wanted.has(term))
    return terms.length > 0 ? [{ at: index, terms }] : []
  })
}

/** Position of the match from which an excerpt contains most of the words. */
function bestStart(matches: readonly Match[]): number {
  let best = { at: 0, words: 0 }
  for (const { at } of matches) {
    const inside = matches.filter(other => other.at >= at && other.at < at + maxLength - lead)
    const words = new Set(inside.flatMap(({ terms }) => terms)).size
    if (words > best.words) best = { at, words }
  }
  return best.at
}

/** Position a little before the match, at the beginning of a word. */
function startOf(text: string, match: number): number {
  if (match <= lead) return 0
  const space = text.slice(match - lead, match).search(/\s/u)
  return space < 0 ? match : match - lead + space
}

function endOf(text: string, start: number): number {
  const end = start + maxLength
  if (end >= text.length) return text.length
  const space = text.slice(0, end).search(/\s\S*$/u)
  return space > start + maxLength / 2 ? space : wholeCharacters(text, end)
}

function wholeCharacters(text: string, end: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(end)) ? end - 1 : end
}
