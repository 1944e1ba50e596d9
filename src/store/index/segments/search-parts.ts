import type { Breather } from '../../../lib/concurrency/loop-budget.js'
import { ceilingOf, planTerms, searchText, unknownShare } from '../packed/channel-search.js'
import { nothingPacked, type PackedHits } from '../packed/packed-hits.js'
import type { PackedRows } from '../packed/packed-rows.js'
import type { AnyWhere } from '../rows/where.js'
import type { ChannelHit, IndexQuery } from '../search.js'
import { expandTerm, keepBestTerms } from '../words/expand-term.js'
import { idf, type TermStatistics } from '../words/text-field.js'
import type { SealedSegments } from './sealed-segments.js'
import { countEntriesWith, findSimilarTerms, type SealedHits, searchSegments } from './search-segments.js'

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
  const words = analyzer.query(text)
  const counts: Counts = new Map()
  const count = (terms: Iterable<string>) => countInAll({ parts, sealed }, terms, counts, budget)
  await count(words)
  const plan = await planTerms(
    {
      has: word => (counts.get(word) ?? 0) > 0,
      near: async word =>
        keepBestTerms([
          ...parts.flatMap(({ terms }) => expandTerm(terms, word)),
          ...(sealed.isEmpty ? [] : await findSimilarTerms(sealed, word, budget)),
        ]),
    },
    words,
    budget,
  )
  await count(plan.weights.keys())
  const whole = wholeOf({ parts, sealed })
  const among = (term: string): TermStatistics => ({ ...whole, holding: counts.get(term) ?? 0 })
  const query = { weights: plan.weights, bm25, among, where, depth, budget }
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
