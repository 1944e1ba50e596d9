import { type AnyOrama, type SearchParams, search } from '@orama/orama'
import type { Breather } from '../../../lib/concurrency/loop-budget.js'
import { noRows, type RowScores } from '../arrays/top-rows.js'
import {
  ceilingOf,
  type KnownWords,
  planTerms,
  rarityOf,
  searchSessions,
  type TermPlan,
  unknownShare,
} from '../packed/channel-search.js'
import { queryShareOf } from '../packed/coverage.js'
import { scoreExpansion } from '../packed/expansion.js'
import { HitsPacker } from '../packed/hits-packer.js'
import type { PackedHits } from '../packed/packed-hits.js'
import type { PackedRows } from '../packed/packed-rows.js'
import type { RowMask } from '../rows/row-masks.js'
import { type Sessions, WantedSessions } from '../rows/sessions.js'
import type { AnyWhere } from '../rows/where.js'
import type { IndexQuery } from '../search.js'
import type { Dictionary } from '../words/dictionary.js'
import { expandTerm } from '../words/expand-term.js'
import type { TextField } from '../words/text-field.js'
import { type RowRequest, vectorProperty } from './packed-plugin.js'

/** One search of an Orama instance with the packed plugin, with what all its channels share. */
interface Search {
  orama: AnyOrama
  mask: RowMask
  depth: number
  budget: Breather
}

/**
 * Candidates of every channel that the collection has (recall.md 1.3.5), each channel on its own: fusing them is the
 * ranking's business.
 * @param where what the query's filter means.
 */
export async function searchChannels(
  orama: AnyOrama,
  rows: PackedRows,
  query: Omit<IndexQuery<unknown>, 'filter'>,
  where: AnyWhere,
): Promise<PackedHits> {
  const budget = rows.budget.begin()
  const plan = await planTerms(knownIn(rows.terms), rows.analyzer.query(query.text), budget)
  const mask = rows.masks.of(where)
  const shared: Search = { orama, mask, depth: query.depth, budget }
  const timings: Record<string, number> = {}
  const timed = async <T>(channel: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now()
    const result = await work()
    timings[channel] = performance.now() - start
    return result
  }
  const { vector: queryVector } = query
  const { content, hints: hinted, sessions } = rows
  const vectors = queryVector && rows.vectors
  const keyword = await timed('keyword', () => searchText(shared, 'content', content, plan))
  const expansion = query.evidence
    ? await timed('expand', () => scoreExpansion(rows, plan, keyword, budget))
    : noScores
  const { coverage, occurrences } = query.evidence
    ? await timed('coverage', () => queryShareOf(rows, plan, keyword, budget))
    : { coverage: noScores, occurrences: noScores }
  const hints = hinted ? await timed('hints', () => searchText(shared, 'hints', hinted, plan)) : noRows
  const vector =
    queryVector && vectors ? await timed('vector', () => searchVector(shared, queryVector)) : noRows
  const channels = [keyword, hints, vector]
  const scored =
    sessions && (await timed('sessions', () => sessionScores(rows, sessions, plan, shared, channels)))
  const packer = new HitsPacker(rows, channels)
  const { facts, createdAt, rows: count } = packer.facts()
  return {
    searchable: plan.searchable,
    keyword: packer.hits(keyword),
    expansion: packer.beside(keyword, expansion),
    coverage: packer.beside(keyword, coverage),
    occurrences: packer.beside(keyword, occurrences),
    hints: packer.hits(hints),
    vector: packer.hits(vector),
    sessions: packer.sessions(scored?.wanted),
    facts,
    createdAt,
    rows: count,
    texts: packer.done(),
    ceilings: queryCeilings(rows, plan, mask, scored?.ceiling ?? 0),
    complete: true,
    vectorCompleteness: vectors && vectors.count > 0 ? 'complete' : 'none',
    searchedWindow: vectors?.count ?? 0,
    timings,
  }
}

function knownIn(terms: Dictionary): KnownWords {
  return { has: word => terms.get(word) !== 0, near: word => expandTerm(terms, word) }
}

const noScores = new Float64Array(0)

/** How the query stands to all rows. @param sessions the ceiling that came with their scores */
function queryCeilings(
  rows: PackedRows,
  plan: TermPlan,
  mask: RowMask,
  sessions: number,
): PackedHits['ceilings'] {
  const { content, hints, terms } = rows
  const textCeiling = (text: TextField): number =>
    text.filled === 0 ? 0 : ceilingOf(plan, word => rarityOf(terms.get(word), text))
  return {
    keyword: textCeiling(content),
    hints: hints ? textCeiling(hints) : 0,
    words: [...plan.words.values()].reduce((sum, count) => sum + count, 0),
    unknown: unknownShare(plan, word => terms.get(word) !== 0),
    volume: mask.size * (content.totalLength / Math.max(1, content.filled)),
    sessions,
  }
}

async function searchText(
  { orama, mask, depth, budget }: Search,
  property: 'content' | 'hints',
  text: TextField,
  plan: TermPlan,
): Promise<RowScores> {
  if (plan.weights.size === 0) return noRows
  const request: RowRequest = { asked: { text, plan }, mask, depth, budget, found: noRows }
  await search(orama, { properties: [property], preflight: true, rows: request } as SearchParams<AnyOrama>)
  return request.found
}

async function searchVector({ orama, mask, depth, budget }: Search, value: Float32Array): Promise<RowScores> {
  const request: RowRequest = { asked: { vector: value }, mask, depth, budget, found: noRows }
  const vector = { value, property: vectorProperty }
  await search(orama, { mode: 'vector', vector, limit: 0, rows: request } as SearchParams<AnyOrama>)
  return request.found
}

/** The sessions that hits belong to: only these lend their rows evidence. */
async function sessionScores(
  rows: PackedRows,
  sessions: Sessions,
  plan: TermPlan,
  { mask, budget }: Search,
  channels: readonly RowScores[],
): Promise<{ wanted: WantedSessions; ceiling: number }> {
  const { numbers, values } = sessions.by.key
  const ofHits = new Set<number>()
  for (const { rows: found } of channels)
    for (let i = 0; i < found.length; i++) ofHits.add(numbers[found[i]!] ?? 0)
  ofHits.delete(0)
  const wanted = new WantedSessions(ofHits, values.capacity)
  const ceiling = await searchSessions(rows, sessions, plan, { mask, budget, wanted })
  return { wanted, ceiling }
}
