import { memoize } from '../../../../lib/concurrency/lazy.js'
import { talkShare } from './candidate-rows.js'
import { fullCoverage } from './evidence.js'
import { type EvidenceTable, noValues } from './evidence-table.js'
import type { ContentContext, RankContext } from './step.js'
import { weights } from './weights.js'

const SENTENCE = /[^.!?。！？؟\n]+[.!?。！？؟]*/gu

/** In scripts without spaces a name may be anywhere in the query. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** The same authors occur in every query. */
const nameAsWords = memoize(asWords)

/**
 * Reply evidence: in a conversation, the row after a matching question contains the answer. Needs content, so
 * it runs after authorisation (recall.md 1.3.6); a question that was not loaded has no effect.
 *
 * @param own evidence from channels; 0 for a row that is only next to a hit
 * @returns additions by memory id
 */
export function replyEvidence(
  { facts, contents }: Pick<ContentContext, 'facts' | 'contents'>,
  own: (id: string) => number,
): Map<string, number> {
  const additions = new Map<string, number>()
  for (const id of contents.keys()) {
    const question = facts(id)?.previous
    const asked = question ? contents.get(question) : undefined
    const evidence = question ? own(question) : 0
    const share = asked && evidence > 0 ? questionShare(asked) : 0
    const value = weights.replies * talkShare(facts(id)) * share * evidence
    if (value > 0) additions.set(id, value)
  }
  return additions
}

/**
 * Question evidence: a turn that only asks is damped; statements beside the question count fully.
 *
 * @returns factors by memory id
 */
export function questionEvidence({
  facts,
  contents,
}: Pick<ContentContext, 'facts' | 'contents'>): Map<string, number> {
  const factors = new Map<string, number>()
  for (const [id, content] of contents) {
    const loss = weights.questions * talkShare(facts(id)) * questionShare(content)
    if (loss > 0) factors.set(id, 1 - loss)
  }
  return factors
}

/** @returns the share of a text's words in sentences that end with a question mark, 0..1 */
export function questionShare(text: string): number {
  if (!/[?？؟]/.test(text)) return 0
  let asking = 0
  let words = 0
  for (const [sentence] of withoutNotes(text).matchAll(SENTENCE)) {
    const count = sentence.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
    words += count
    if (/[?？؟]/.test(sentence)) asking += count
  }
  return words > 0 ? asking / words : 0
}

/**
 * Removes bracketed notes, such as descriptions of images, which are neither question nor statement. No
 * pattern here: it would rescan the rest from each unclosed bracket.
 */
function withoutNotes(text: string): string {
  const parts: string[] = []
  for (let start = 0; ; ) {
    const opens = text.indexOf('[', start)
    const closes = opens < 0 ? -1 : text.indexOf(']', opens)
    if (closes < 0) return [...parts, text.slice(start)].join(' ')
    parts.push(text.slice(start, opens))
    start = closes + 1
  }
}

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

/**
 * Expansion evidence (pseudo relevance feedback): a row with the characteristic words of the best rows is
 * about the same topic, even with few words of the query. It reorders the rows after the best and never lifts
 * one above them, since the words come from these.
 *
 * @returns additions by place
 */
export function expansionEvidence(
  { hits, rows }: Pick<RankContext, 'hits' | 'rows'>,
  table: EvidenceTable,
): Float64Array | undefined {
  const { share, untouched } = weights.expansion
  const best = bestOf(table, untouched)
  if (best.length < untouched) return undefined
  const { own } = table
  const ceiling = own[best[untouched - 1]!]!
  const { places } = hits.keyword
  const perScore = (share * (hits.ceilings?.words ?? 1)) / fullCoverage(hits, 'keyword', hits.keyword.scores)
  const additions = noValues(rows)
  for (let i = 0; i < hits.expansion.length; i++) {
    const score = hits.expansion[i]!
    const place = places[i]!
    if (!(score > 0) || best.includes(place) || rows.isPage(place)) continue
    const evidence = own[place]!
    const value = below(ceiling, evidence + perScore * score) - evidence
    if (value > 0) additions[place] = value
  }
  return additions
}

/** The few rows with most evidence of their own, best first; ties in the order of their ids. */
function bestOf({ own, rows }: EvidenceTable, count: number): number[] {
  const best: number[] = []
  for (let place = 0; place < rows.count; place++) {
    const evidence = own[place]!
    if (evidence === 0) continue
    let at = best.length
    for (; at > 0; at--) {
      const other = best[at - 1]!
      if (own[other]! > evidence || (own[other] === evidence && rows.id(other) < rows.id(place))) break
    }
    if (at === count) continue
    best.splice(at, 0, place)
    if (best.length > count) best.pop()
  }
  return best
}

/** Compresses evidence near the ceiling so that it never reaches it; the order is preserved. */
function below(ceiling: number, evidence: number): number {
  const { bend } = weights.expansion
  const over = evidence / ceiling - bend
  return over <= 0 ? evidence : ceiling * (bend + (1 - bend) * (1 - Math.exp(-over)))
}
