import type { Breather } from '../../../lib/concurrency/loop-budget.js'
import { Accumulator } from '../arrays/accumulator.js'
import { TopRows } from '../arrays/top-rows.js'
import { besideMeant, ceilingOf, planTerms, searchText, unknownShare } from '../packed/channel-search.js'
import { nothingPacked, type PackedHits } from '../packed/packed-hits.js'
import type { PackedRows } from '../packed/packed-rows.js'
import type { AnyWhere } from '../rows/where.js'
import type { ChannelHit, IndexQuery } from '../search.js'
import { foreignMark, isHash } from '../words/analysis/analyzer.js'
import { Dictionary } from '../words/dictionary.js'
import { expandTerm, keepBestTerms } from '../words/expand-term.js'
import { addScores, type Bm25, gainOf, idf, type TermStatistics } from '../words/text-field.js'
import { placeBits, unpackPostings } from './seal.js'
import type { SealedSegments, Segment } from './sealed-segments.js'

interface SegmentQuery {
  weights: ReadonlyMap<string, number>
  bm25: Bm25
  among(term: string): TermStatistics
  where: AnyWhere
  depth: number
  budget: Breather
}

/** The best entries, and the number of terms in all entries matching the filter. */
interface SealedHits {
  hits: ChannelHit[]
  volume: number
}

/** BM25 over sealed segments, one at a time, so that a search loads only one of them into memory. */
async function searchSegments(sealed: SealedSegments, query: SegmentQuery): Promise<SealedHits> {
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
async function countEntriesWith(
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
async function findSimilarTerms(
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

/** The parts of a segmented index. */
interface Parts {
  /** Parts in memory. */
  parts: readonly PackedRows[]
  sealed: SealedSegments
  /** True for an entry that was removed but is still in a part. */
  isGone(id: string): boolean
}

/** Number of entries with each term. */
type Counts = Map<string, number>

/** Searches all parts by words with shared statistics; returns no evidence and only the channel `keyword`. */
export async function searchParts(
  { parts, sealed, isGone }: Parts,
  { text, depth, where }: IndexQuery<unknown> & { where: AnyWhere },
  budget: Breather,
): Promise<PackedHits> {
  const started = performance.now()
  const [{ analyzer, bm25 }] = parts as [PackedRows]
  const asked = analyzer.asked(text)
  const counts: Counts = new Map()
  const count = (terms: Iterable<string>) => countInAll({ parts, sealed }, terms, counts, budget)
  await count([foreignMark, ...asked.keys()])
  const hasForeign = (counts.get(foreignMark) ?? 0) > 0
  for (const [word, others] of asked) if (hasForeign || isHash(word)) await count(others())
  const plan = await planTerms(
    {
      has: word => (counts.get(word) ?? 0) > 0,
      near: async word =>
        keepBestTerms([
          ...parts.flatMap(({ terms }) => expandTerm(terms, word)),
          ...(sealed.isEmpty ? [] : await findSimilarTerms(sealed, word, budget)),
        ]),
    },
    asked,
    budget,
  )
  await count(plan.weights.keys())
  const whole = wholeOf({ parts, sealed })
  const among = (term: string): TermStatistics => ({ ...whole, holding: counts.get(term) ?? 0 })
  const besides = (term: string) => besideMeant(term, plan.meant, among)
  const query = { weights: plan.weights, bm25, among: besides, where, depth, budget }
  const found: SealedHits = sealed.isEmpty ? { hits: [], volume: 0 } : await searchSegments(sealed, query)
  for (const rows of parts) {
    const mask = rows.masks.of(where)
    found.volume += mask.size * whole.average
    const best = await searchText(rows, rows.content, plan, { mask, depth, budget }, among)
    for (const [i, row] of best.rows.entries()) {
      const id = rows.columns.live[row] === 1 ? rows.ids.of(row) : undefined
      if (id !== undefined && !isGone(id)) found.hits.push({ id, score: best.scores[i]! })
    }
  }
  const rarity = (term: string): number => idf(whole.filled, Math.max(1, counts.get(term) ?? 0))
  return {
    ...packed(bestOf(found.hits, depth)),
    searchable: plan.searchable,
    ceilings: {
      keyword: whole.filled === 0 ? 0 : ceilingOf(plan, rarity),
      hints: 0,
      sessions: 0,
      words: [...plan.words.values()].reduce((sum, each) => sum + each, 0),
      unknown: unknownShare(plan, word => (counts.get(word) ?? 0) > 0),
      volume: found.volume,
    },
    complete: true,
    vectorCompleteness: 'none',
    searchedWindow: 0,
    timings: { keyword: performance.now() - started },
  }
}

/** Counts the terms not counted yet. */
async function countInAll(
  { parts, sealed }: Pick<Parts, 'parts' | 'sealed'>,
  terms: Iterable<string>,
  counts: Counts,
  budget: Breather,
): Promise<void> {
  const missing = [...terms].filter(term => !counts.has(term))
  const inSegments: Counts = sealed.isEmpty ? new Map() : await countEntriesWith(sealed, missing, budget)
  for (const term of missing) {
    const inMemory = parts.reduce((sum, rows) => sum + rows.content.postings.size(rows.terms.get(term)), 0)
    counts.set(term, inMemory + (inSegments.get(term) ?? 0))
  }
}

function wholeOf({ parts, sealed }: Pick<Parts, 'parts' | 'sealed'>): Omit<TermStatistics, 'holding'> {
  const filled = parts.reduce((sum, { content }) => sum + content.filled, sealed.kept)
  const length = parts.reduce((sum, { content }) => sum + content.totalLength, sealed.length)
  return { filled, average: length / filled }
}

/** An entry that is being sealed may be in two parts. */
function bestOf(hits: readonly ChannelHit[], depth: number): ChannelHit[] {
  const seen = new Set<string>()
  return hits
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .filter(({ id }) => !seen.has(id) && seen.add(id))
    .slice(0, depth)
}

type FoundParts = Omit<
  PackedHits,
  'searchable' | 'ceilings' | 'complete' | 'vectorCompleteness' | 'searchedWindow' | 'timings'
>

function packed(hits: readonly ChannelHit[]): FoundParts {
  const noScores = new Float64Array(0)
  return {
    texts: hits.map(({ id }) => id),
    rows: hits.length,
    keyword: {
      places: Int32Array.from(hits.keys()),
      scores: Float64Array.from(hits, ({ score }) => score),
    },
    expansion: noScores,
    coverage: noScores,
    occurrences: noScores,
    hints: nothingPacked,
    vector: nothingPacked,
    sessions: nothingPacked,
    facts: new Int32Array(0),
    createdAt: noScores,
  }
}
