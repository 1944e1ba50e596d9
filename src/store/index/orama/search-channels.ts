import type { AnyOrama } from '@orama/orama'
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
import { queryShareOf, scoreExpansion } from '../packed/expansion.js'
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
import { searchRows } from './packed-plugin.js'

/** One search of an Orama instance with the packed plugin, and the state its channels share. */
interface Search {
  orama: AnyOrama
  mask: RowMask
  depth: number
  budget: Breather
}

/**
 * Returns the candidates of every channel of the collection (recall.md 1.3.5), each on its own; ranking fuses
 * them.
 * @param where the query's filter as a condition.
 */
export async function searchChannels(
  orama: AnyOrama,
  rows: PackedRows,
  query: Omit<IndexQuery<unknown>, 'filter'>,
  where: AnyWhere,
): Promise<PackedHits> {
  const budget = rows.budget.begin()
  const plan = await planTerms(knownIn(rows.terms), rows.analyzer.asked(query.text), budget)
  const mask = rows.masks.of(where)
  const { depth } = query
  const shared: Search = { orama, mask, depth, budget }
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
  const keyword = await timed('keyword', () => searchWords(shared, content, plan))
  const expansion = query.evidence
    ? await timed('expand', () => scoreExpansion(rows, plan, keyword, budget))
    : noScores
  const { coverage, occurrences } = query.evidence
    ? await timed('coverage', () => queryShareOf(rows, plan, keyword, { rarity: rarityIn(rows), budget }))
    : { coverage: noScores, occurrences: noScores }
  const hints = hinted ? await timed('hints', () => searchWords(shared, hinted, plan)) : noRows
  const vector =
    queryVector && vectors
      ? await timed('vector', () =>
          searchRows(orama, { query: { vector: queryVector }, mask, depth, budget }),
        )
      : noRows
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

function rarityIn({ terms, content }: PackedRows): (term: string) => number {
  return term => rarityOf(terms.get(term), content)
}

const noScores = new Float64Array(0)

/** The highest possible scores of the query. @param sessions ceiling computed with the session scores */
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

async function searchWords(
  { orama, mask, depth, budget }: Search,
  text: TextField,
  plan: TermPlan,
): Promise<RowScores> {
  if (plan.weights.size === 0) return noRows
  return searchRows(orama, { query: { text, plan }, mask, depth, budget })
}

/** Scores only sessions of hits: no others can lend their rows evidence. */
async function sessionScores(
  rows: PackedRows,
  sessions: Sessions,
  plan: TermPlan,
  { mask, budget }: Search,
  channels: readonly RowScores[],
): Promise<{ wanted: WantedSessions; ceiling: number }> {
  const wanted = WantedSessions.of(sessions, channels)
  const ceiling = await searchSessions(rows, sessions, plan, { mask, budget, wanted })
  return { wanted, ceiling }
}
