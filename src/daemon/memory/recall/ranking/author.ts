import { memoize } from '../../../../lib/concurrency/lazy.js'
import { type EvidenceTable, noValues } from './evidence-table.js'
import type { RankContext } from './step.js'
import { weights } from './weights.js'

/** In scripts without spaces a name may be anywhere in the query. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/**
 * Author match: a query that names exactly one of the candidates' authors is about that author's memories.
 * Gives nothing when all candidates have the same author.
 *
 * @returns factors by place
 */
export function authorEvidence(
  { query, rows }: Pick<RankContext, 'query' | 'rows'>,
  table: EvidenceTable,
): Float64Array | undefined {
  const authors = new Set<number>()
  for (let place = 0; place < rows.count; place++)
    if (table.isCandidate(place)) authors.add(rows.author(place))
  if (authors.size < 2) return undefined
  const text = asWords(query)
  const named = [...authors].filter(author => author >= 0 && isNamed(rows.text(author), text))
  if (named.length !== 1) return undefined
  const factors = noValues(rows)
  for (let place = 0; place < rows.count; place++)
    if (table.isCandidate(place) && rows.author(place) === named[0]) factors[place] = weights.author
  return factors
}

/** Matches the full name, or the first name of a person with several names. */
function isNamed(who: string, text: string): boolean {
  const name = nameAsWords(who)
  if (name.trim() === '') return false
  if (UNSPACED.test(name)) return text.includes(name.trim())
  const first = / (\p{L}{3,}) /u.exec(/\s/.test(who.trim()) ? name : '')?.[0]
  return text.includes(name) || (first !== undefined && name.startsWith(first) && text.includes(first))
}

/** Lower-case words without accents, surrounded by spaces, so ` ana's ` matches ` ana `. */
function asWords(text: string): string {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  return ` ${folded.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `
}

/** The same authors occur in every query. */
const nameAsWords = memoize(asWords)
