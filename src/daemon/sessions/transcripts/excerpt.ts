import { Analyzer } from '../../../store/index/words/analysis/analyzer.js'

/** Longest excerpt, in UTF-16 units. */
const maxLength = 400
/** How much of that stands before the first match. */
const lead = 60

/** The stretch of a passage that answers most words of a query; its ends are marked where text was left out. */
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
  const analyzer = new Analyzer()
  const wanted = new Set(analyzer.query(query))
  return [...text.matchAll(/\S+/gu)].flatMap(({ index, 0: word }) => {
    const terms = analyzer.index(word).filter(term => wanted.has(term))
    return terms.length > 0 ? [{ at: index, terms }] : []
  })
}

/** Where the match stands from which on an excerpt holds most of the words. */
function bestStart(matches: readonly Match[]): number {
  let best = { at: 0, words: 0 }
  for (const { at } of matches) {
    const inside = matches.filter(other => other.at >= at && other.at < at + maxLength - lead)
    const words = new Set(inside.flatMap(({ terms }) => terms)).size
    if (words > best.words) best = { at, words }
  }
  return best.at
}

/** A little before the match, at the beginning of a word. */
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
