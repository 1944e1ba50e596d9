import type { Breather } from '../../../lib/concurrency/loop-budget.js'
import { Accumulator } from '../arrays/accumulator.js'
import { TopRows } from '../arrays/top-rows.js'
import type { AnyWhere } from '../rows/where.js'
import type { ChannelHit } from '../search.js'
import { Dictionary } from '../words/dictionary.js'
import { expandTerm } from '../words/expand-term.js'
import { addScores, type Bm25, gainOf, type TermStatistics } from '../words/text-field.js'
import { unpackPostings } from './postings.js'
import { placeBits } from './seal.js'
import type { SealedSegments, Segment } from './sealed-segments.js'

export interface SegmentQuery {
  weights: ReadonlyMap<string, number>
  bm25: Bm25
  among(term: string): TermStatistics
  where: AnyWhere
  depth: number
  budget: Breather
}

/** The best entries, and the number of terms in all entries matching the filter. */
export interface SealedHits {
  hits: ChannelHit[]
  volume: number
}

/** BM25 over sealed segments, one at a time, so that a search loads only one of them into memory. */
export async function searchSegments(sealed: SealedSegments, query: SegmentQuery): Promise<SealedHits> {
  const { depth, budget } = query
  const top = new TopRows(depth)
  const owners = sealed.ownersBy(query.where).slice()
  let volume = 0
  for (const segment of [...sealed.segments]) {
    await budget.breathe()
    const columns = sealed.columnsOf(segment)
    if (!columns) continue
    const allowed = allowedIn(segment, columns.owners, owners)
    for (let place = 0; place < allowed.length; place++)
      if (allowed[place] === 1) volume += columns.lengths[place]!
    const scores = scoresIn(sealed, segment, { lengths: columns.lengths, allowed }, query)
    const found = scores.drain(depth)
    for (let i = 0; i < found.rows.length; i++) top.push(numberOf(segment, found.rows[i]!), found.scores[i]!)
  }
  const hits: ChannelHit[] = []
  const best = top.sorted()
  for (const [at, number] of best.rows.entries()) {
    if (at % 100 === 0) await budget.breathe()
    const id = sealed.file.idAt(number >>> placeBits, number & ((1 << placeBits) - 1))
    if (id !== undefined) hits.push({ id, score: best.scores[at]! })
  }
  return { hits, volume }
}

function numberOf({ segment }: Segment, place: number): number {
  return ((segment << placeBits) | place) >>> 0
}

function allowedIn({ size, living }: Segment, ownerOf: Uint32Array, owners: Uint8Array): Uint8Array {
  const allowed = new Uint8Array(size)
  for (let place = 0; place < size; place++)
    if (living?.[place] !== 0) allowed[place] = owners[ownerOf[place]!]!
  return allowed
}

function scoresIn(
  { file }: SealedSegments,
  { segment, size }: Segment,
  { lengths, allowed }: { lengths: Uint32Array; allowed: Uint8Array },
  { weights, bm25, among }: SegmentQuery,
): Accumulator {
  const into = new Accumulator(size)
  const postings = new Uint32Array(size)
  for (const [term, weight] of weights) {
    const data = file.postings(segment, term)
    if (!data) continue
    const gain = gainOf(weight, bm25, among(term))
    addScores(postings, 0, unpackPostings(data, postings), { gain, lengths, allowed, into })
  }
  return into
}

/** Number of sealed entries with each term. */
export async function countEntriesWith(
  { file, segments }: SealedSegments,
  terms: Iterable<string>,
  budget: Breather,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const term of terms) {
    let sum = 0
    for (const { segment } of segments) sum += file.holding(segment, term)
    counts.set(term, sum)
    await budget.breathe()
  }
  return counts
}

/** Terms read before other work gets a turn. */
const termsPerStep = 2000

/** Sealed terms similar to an unknown word (see `expandTerm`), among those with the same first letter. */
export async function findSimilarTerms(
  { file, segments }: SealedSegments,
  word: string,
  budget: Breather,
): Promise<[string, number][]> {
  const [first = ''] = word
  const terms = new Dictionary()
  for (const { segment } of segments)
    for (let from = first; ; ) {
      const page = file.termsBetween(segment, from, `${first}\u{10ffff}`, termsPerStep)
      for (const term of page) if (terms.get(term) === 0) terms.retain(term)
      await budget.breathe()
      if (page.length < termsPerStep) break
      from = page.at(-1) as string
    }
  return expandTerm(terms, word)
}
