import type { RankContext } from './evidence.js'
import { weights } from './weights.js'

/** Scripts without spaces: a name is found anywhere in the query. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/**
 * Author match: a query that names exactly one of the candidates' authors means what that author wrote.
 * Silent when all candidates have one author, as it could not tell them apart.
 *
 * @returns factors by memory id
 */
export function authorEvidence({
  query,
  facts,
  own,
}: Pick<RankContext, 'query' | 'facts' | 'own'>): Map<string, number> {
  const factors = new Map<string, number>()
  const authorOf = (id: string) => facts(id)?.who ?? null
  const authors = new Set<string | null>()
  for (const id of own.keys()) authors.add(authorOf(id))
  if (authors.size < 2) return factors
  const text = asWords(query)
  const named = [...authors].filter(who => who !== null && isNamed(who, text))
  if (named.length !== 1) return factors
  for (const id of own.keys()) if (authorOf(id) === named[0]) factors.set(id, weights.author)
  return factors
}

/** The whole name, or the first name of somebody with several. */
function isNamed(who: string, text: string): boolean {
  const name = asWords(who)
  if (name.trim() === '') return false
  if (UNSPACED.test(name)) return text.includes(name.trim())
  const first = / (\p{L}{3,}) /u.exec(/\s/.test(who.trim()) ? name : '')?.[0]
  return text.includes(name) || (first !== undefined && name.startsWith(first) && text.includes(first))
}

/** Lower-case words without accents, each between spaces: ` ana's ` matches ` ana `. */
function asWords(text: string): string {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  return ` ${folded.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `
}
