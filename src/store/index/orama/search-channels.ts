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
    ? await timed('coverage', () => queryShareOf(rows, plan, keyword, budget))
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
  const { numbers, values } = sessions.by.key
  const ofHits = new Set<number>()
  for (const { rows: found } of channels)
    for (let i = 0; i < found.length; i++) ofHits.add(numbers[found[i]!] ?? 0)
  ofHits.delete(0)
  const wanted = new WantedSessions(ofHits, values.capacity)
  const ceiling = await searchSessions(rows, sessions, plan, { mask, budget, wanted })
  return { wanted, ceiling }
}

const rowsPerBreath = 32

/** How found rows match the query as a whole, in their order. */
interface QueryShare {
  /**
   * Share of the query in each row, 0..1, independent of length and repetition: the summed rarity of its
   * words found in the row, divided by that of all its words.
   */
  coverage: Float64Array
  /** Occurrences of query words in each row, whatever their rarity. */
  occurrences: Float64Array
}

/** @returns coverage and occurrences of the found rows; an expanded word counts with its reduced weight */
async function queryShareOf(
  rows: PackedRows,
  plan: TermPlan,
  { rows: found }: RowScores,
  budget: Breather,
): Promise<QueryShare> {
  const { terms, content } = rows
  const whole = ceilingOf(plan, word => rarityOf(terms.get(word), content))
  const shares: number[] = []
  const weights: number[] = []
  const numbers: number[] = []
  for (const [word, weight] of plan.weights) {
    const term = terms.get(word)
    numbers.push(term)
    weights.push(weight)
    shares.push((weight * rarityOf(term, content)) / whole)
  }
  const slots = rows.termSlots.take(terms.capacity)
  slots.fill(numbers)
  const { places, frequencies } = slots
  const coverage = new Float64Array(found.length)
  const occurrences = new Float64Array(found.length)
  for (let i = 0; i < found.length; i++) {
    if (i % rowsPerBreath === 0) await budget.breathe()
    const count = slots.read(content, found[i]!)
    let covered = 0
    let said = 0
    for (let at = 0; at < count; at++) {
      covered += shares[places[at]!]!
      said += weights[places[at]!]! * frequencies[at]!
    }
    coverage[i] = Math.min(1, covered)
    occurrences[i] = said
  }
  slots.clear()
  rows.termSlots.give(slots)
  return { coverage, occurrences }
}
