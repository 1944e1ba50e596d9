import { type AnyOrama, type SearchParams, search } from '@orama/orama'
import type { Breather } from '../../../lib/loop-budget.js'
import type { IndexQuery } from '../memory-index.js'
import {
  planTerms,
  type RowScores,
  searchSessions,
  type TermPlan,
  textCeiling,
} from '../packed/channel-search.js'
import { HitsPacker, type PackedHits } from '../packed/packed-hits.js'
import type { PackedRows } from '../packed/packed-rows.js'
import { WantedSessions } from '../rows/sessions.js'
import { type Where, whereOf } from '../rows/where.js'
import { type RowRequest, vectorProperty } from './packed-plugin.js'

/** One search of an Orama instance with the packed plugin, with what all its channels share. */
interface Search {
  orama: AnyOrama
  where: Where
  depth: number
  budget: Breather
}

/** Candidates of every channel (spec 1, 1.3.5), each channel on its own: fusing them is the ranking's business. */
export async function searchChannels(
  orama: AnyOrama,
  rows: PackedRows,
  query: IndexQuery,
): Promise<PackedHits> {
  const where = whereOf(query.filter ?? {})
  const budget = rows.budget.begin()
  const plan = await planTerms(rows, rows.analyzer.query(query.text), budget)
  const shared: Search = { orama, where, depth: query.depth, budget }
  const timings: Record<string, number> = {}
  const timed = async <T>(channel: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now()
    const result = await work()
    timings[channel] = performance.now() - start
    return result
  }
  const { vector: queryVector } = query
  const vectors = queryVector && rows.vectors
  const keyword = await timed('keyword', () => searchText(shared, 'content', plan))
  const hints = await timed('hints', () => searchText(shared, 'hints', plan))
  const vector = queryVector && vectors ? await timed('vector', () => searchVector(shared, queryVector)) : []
  const sessions = await timed('sessions', () => sessionScores(rows, plan, shared, [keyword, hints, vector]))
  const packer = new HitsPacker(rows, [keyword, hints, vector])
  return {
    searchable: plan.searchable,
    keyword: packer.hits(keyword),
    hints: packer.hits(hints),
    vector: packer.hits(vector),
    sessions: packer.sessions(sessions.wanted.numbers, sessions.wanted.scores),
    ...packer.facts(),
    ...packer.texts(),
    ceilings: {
      keyword: textCeiling(rows, 'content', plan),
      hints: textCeiling(rows, 'hints', plan),
      sessions: sessions.ceiling,
      words: plan.words.length,
    },
    complete: true,
    vectorCompleteness: vectors && vectors.count > 0 ? 'complete' : 'none',
    searchedWindow: vectors?.count ?? 0,
    timings,
  }
}

async function searchText(
  { orama, where, depth, budget }: Search,
  property: 'content' | 'hints',
  plan: TermPlan,
): Promise<RowScores> {
  if (plan.weights.size === 0) return []
  const request: RowRequest = { plan, depth, budget, found: [] }
  await search(orama, {
    properties: [property],
    where,
    preflight: true,
    rows: request,
  } as SearchParams<AnyOrama>)
  return request.found
}

async function searchVector(
  { orama, where, depth, budget }: Search,
  value: Float32Array,
): Promise<RowScores> {
  const request: RowRequest = { depth, budget, found: [] }
  const vector = { value, property: vectorProperty }
  await search(orama, { mode: 'vector', vector, where, limit: 0, rows: request } as SearchParams<AnyOrama>)
  return request.found
}

/** The sessions that hits belong to: only these lend their rows evidence. */
async function sessionScores(
  rows: PackedRows,
  plan: TermPlan,
  { where, budget }: Search,
  channels: readonly RowScores[],
): Promise<{ wanted: WantedSessions; ceiling: number }> {
  const { numbers, values } = rows.columns.enums.session
  const ofHits = new Set<number>()
  for (const found of channels) for (const [row] of found) ofHits.add(numbers[row] ?? 0)
  ofHits.delete(0)
  const wanted = new WantedSessions(ofHits, values.capacity)
  const ceiling = await searchSessions(rows, plan, { mask: rows.masks.of(where), budget }, wanted)
  return { wanted, ceiling }
}
