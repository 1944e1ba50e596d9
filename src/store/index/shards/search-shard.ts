import type { Breather } from '../../../lib/concurrency/loop-budget.js'
import { noRows, type RowScores } from '../arrays/top-rows.js'
import { quantisedDepth, type RowSelection, searchText, type TermPlan } from '../packed/channel-search.js'
import { queryShareOf, scoreByExpansion, sourcesOf } from '../packed/expansion.js'
import { HitsPacker } from '../packed/hits-packer.js'
import { joinTexts } from '../packed/packed-hits.js'
import type { PackedRows } from '../packed/packed-rows.js'
import { WantedSessions } from '../rows/sessions.js'
import type { AnyWhere } from '../rows/where.js'
import { expandTerm } from '../words/expand-term.js'
import { idf, type TermStatistics, type TextField } from '../words/text-field.js'
import type {
  FieldTotals,
  KeptRows,
  PackedShard,
  PlannedQuery,
  ShardFound,
  ShardRows,
  ShardSearch,
  ShardTotals,
  TermCounts,
} from './shard.js'

const noScores = new Float64Array(0)

/** Searches the rows of one shard; see `ShardSearch`. @param release called once at the end. */
export function searchShard(
  rows: PackedRows,
  where: AnyWhere,
  { isComplete, release }: { isComplete: () => boolean; release: () => void },
): ShardSearch {
  const budget = rows.budget.begin()
  const held = { query: undefined as PlannedQuery | undefined, ended: false }
  return {
    begin: async terms => ({
      totals: totalsOf(rows, where, isComplete()),
      counts: countsOf(rows, terms),
    }),
    count: async terms => countsOf(rows, terms),
    near: async word => expandTerm(rows.terms, word),
    find: async query => {
      held.query = query
      return findRows(rows, query, { mask: rows.masks.of(where), depth: query.depth, budget })
    },
    cosines: async wanted => {
      const vector = held.query?.vector
      const exact = vector && (await rows.exact?.cosines(vector, [...wanted]))
      return Float64Array.from(wanted, row => exact?.get(row) ?? Number.NaN)
    },
    pack: kept => packRows(rows, held.query!, kept, { where, budget }),
    end: () => {
      if (!held.ended) release()
      held.ended = true
    },
  }
}

function totalsOf(rows: PackedRows, where: AnyWhere, complete: boolean): ShardTotals {
  const { content, hints, sessions, vectors } = rows
  return {
    content: fieldTotals(content),
    hints: hints ? fieldTotals(hints) : { filled: 0, totalLength: 0 },
    sessions: sessions?.totals ?? { size: 0, totalLength: 0 },
    allowed: rows.masks.of(where).size,
    vectors: vectors?.count ?? 0,
    complete,
  }
}

function fieldTotals({ filled, totalLength }: TextField): FieldTotals {
  return { filled, totalLength }
}

function countsOf({ terms: known, content, hints }: PackedRows, terms: readonly string[]): TermCounts {
  const numbers = terms.map(term => known.get(term))
  return {
    content: Uint32Array.from(numbers, number => content.postings.size(number)),
    hints: Uint32Array.from(numbers, number => hints?.postings.size(number) ?? 0),
  }
}

async function findRows(rows: PackedRows, query: PlannedQuery, selection: RowSelection): Promise<ShardFound> {
  const { vector, evidence, depth } = query
  const words = (text: TextField | undefined, totals: PlannedQuery['content']): Promise<RowScores> =>
    text && query.weights.size > 0
      ? searchText(rows, text, query, selection, amongAll(totals))
      : Promise.resolve(noRows)
  const keyword = await words(rows.content, query.content)
  const hints = await words(rows.hints, query.hints)
  const near =
    vector && rows.vectors
      ? await rows.vectors.search(vector, quantisedDepth(depth), selection.mask, selection.budget)
      : noRows
  return {
    keyword: withChanges(rows, keyword),
    hints: withChanges(rows, hints),
    vector: withChanges(rows, near),
    sources: evidence
      ? Array.from(sourcesOf(rows, keyword), ({ place, length, terms }) => ({
          place,
          length,
          terms: Array.from(terms, ([term, frequency]): [string, number] => [
            rows.terms.text(term),
            frequency,
          ]),
        }))
      : [],
  }
}

function amongAll({ filled, totalLength, holding }: PlannedQuery['content']) {
  const average = totalLength / filled
  return (term: string): TermStatistics => ({ filled, average, holding: holding.get(term) ?? 0 })
}

/** Copies the rows, since their arrays belong to the search. */
function withChanges({ columns }: PackedRows, { rows, scores }: RowScores): ShardRows {
  return {
    rows: rows.slice(),
    scores: scores.slice(),
    changes: Float64Array.from(rows, row => columns.change.get(row)),
  }
}

async function packRows(
  rows: PackedRows,
  query: PlannedQuery,
  { keyword, hints, vector, expansion }: KeptRows,
  { where, budget }: { where: AnyWhere; budget: Breather },
): Promise<PackedShard> {
  const { filled, totalLength, holding } = query.content
  const scored = query.evidence
    ? await scoreByExpansion(
        rows,
        expansion.map(([term, weight]) => [rows.terms.get(term), weight]),
        { found: keyword, average: totalLength / filled, budget },
      )
    : noScores
  const rarity = (term: string): number => idf(filled, Math.max(1, holding.get(term) ?? 0))
  const { coverage, occurrences } = query.evidence
    ? await queryShareOf(rows, planOf(query), keyword, { rarity, budget })
    : { coverage: noScores, occurrences: noScores }
  const channels = [keyword, hints, vector]
  const wanted = rows.sessions && WantedSessions.of(rows.sessions, channels)
  const packer = new HitsPacker(rows, channels)
  const facts = packer.facts()
  const sessionCounts = new Map<string, { holding: number; frequencies: Float64Array }>()
  if (rows.sessions && wanted)
    for (const term of query.weights.keys()) {
      await budget.breathe()
      sessionCounts.set(term, rows.sessions.count(rows.terms.get(term), rows.masks.of(where).bytes, wanted))
    }
  return joinTexts({
    ...facts,
    keyword: packer.places(keyword.rows),
    expansion: scored,
    coverage,
    occurrences,
    hints: packer.places(hints.rows),
    vector: packer.places(vector.rows),
    sessions: {
      places: packer.sessionPlaces(wanted?.numbers ?? []),
      lengths: Float64Array.from(wanted?.numbers ?? [], session => rows.sessions!.lengthOf(session)),
    },
    sessionCounts,
    texts: packer.done(),
  })
}

function planOf({ weights, words, meant }: PlannedQuery): TermPlan {
  return { weights, words, meant, searchable: true }
}
