import { type AnyOrama, search } from '@orama/orama'
import { planTerms, searchSessions, type TermPlan, textCeiling } from './channel-search.js'
import type { ChannelHit, IndexHits, IndexQuery } from './memory-index.js'
import { type PlannedRelevance, vectorProperty } from './packed-plugin.js'
import type { PackedRows } from './packed-rows.js'
import { WantedSessions } from './sessions.js'
import { type Where, whereOf } from './where.js'

/** One search of an Orama instance with the packed plugin, with what all its channels share. */
interface Search {
  orama: AnyOrama
  where: Where
  limit: number
}

/** Candidates of every channel (spec 1, 1.3.5), each channel on its own: fusing them is the ranking's business. */
export async function searchChannels(
  orama: AnyOrama,
  rows: PackedRows,
  query: IndexQuery,
): Promise<IndexHits> {
  const where = whereOf(query.filter ?? {})
  const plan = await planTerms(rows, rows.analyzer.query(query.text))
  const shared: Search = { orama, where, limit: query.depth }
  const timings: Record<string, number> = {}
  const timed = async <T>(channel: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now()
    const result = await work()
    timings[channel] = performance.now() - start
    return result
  }
  const { text, vector: queryVector } = query
  const vectors = queryVector && rows.vectors
  const keyword = await timed('keyword', () => searchText(shared, 'content', text, plan))
  const hints = await timed('hints', () => searchText(shared, 'hints', text, plan))
  const vector = queryVector && vectors ? await timed('vector', () => searchVector(shared, queryVector)) : []
  const sessions = await timed('sessions', () => sessionScores(rows, plan, where, [keyword, hints, vector]))
  return {
    searchable: plan.searchable,
    keyword,
    hints,
    sessions: sessions.scores,
    ceilings: {
      keyword: textCeiling(rows, 'content', plan),
      hints: textCeiling(rows, 'hints', plan),
      sessions: sessions.ceiling,
      words: plan.words.length,
    },
    vector,
    vectorCompleteness: vectors && vectors.count > 0 ? 'complete' : 'none',
    searchedWindow: vectors?.count ?? 0,
    timings,
  }
}

async function searchText(
  { orama, where, limit }: Search,
  property: 'content' | 'hints',
  term: string,
  plan: TermPlan,
): Promise<ChannelHit[]> {
  if (plan.weights.size === 0) return []
  const relevance: PlannedRelevance = { plan }
  const { hits } = await search(orama, { term, properties: [property], where, limit, relevance })
  return liveHits(hits)
}

async function searchVector({ orama, where, limit }: Search, query: Float32Array): Promise<ChannelHit[]> {
  // A copy: results are found again by the identity of the vector, and two searches may share theirs.
  const vector = { value: query.slice(), property: vectorProperty }
  const { hits } = await search(orama, { mode: 'vector', vector, where, limit, similarity: -2 })
  return liveHits(hits)
}

/** A memory that was removed while the scan went on has no document any more. */
function liveHits(hits: readonly (ChannelHit & { document?: unknown })[]): ChannelHit[] {
  return hits.filter(hit => hit.document !== undefined).map(({ id, score }) => ({ id, score }))
}

/** The sessions that hits belong to: only these lend their rows evidence. */
async function sessionScores(
  rows: PackedRows,
  plan: TermPlan,
  where: Where,
  channels: readonly (readonly ChannelHit[])[],
): Promise<{ scores: Map<string, number>; ceiling: number }> {
  const { numbers, values } = rows.columns.enums.session
  const ofHits = new Set<number>()
  for (const hits of channels) for (const { id } of hits) ofHits.add(numbers[rows.ids.rowOf(id)!] ?? 0)
  ofHits.delete(0)
  const wanted = new WantedSessions(ofHits, values.capacity)
  const ceiling = await searchSessions(rows, plan, rows.masks.of(where), wanted)
  const scores = new Map<string, number>()
  for (const [i, number] of wanted.numbers.entries())
    if (wanted.scores[i]! > 0) scores.set(values.text(number), wanted.scores[i]!)
  return { scores, ceiling }
}
