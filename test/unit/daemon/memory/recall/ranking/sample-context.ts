import { CandidateRows } from '../../../../../../src/daemon/memory/recall/ranking/candidate-rows.js'
import type { RankableHits } from '../../../../../../src/daemon/memory/recall/ranking/evidence.js'
import { EvidenceTable } from '../../../../../../src/daemon/memory/recall/ranking/evidence-table.js'
import { type Answers, answersIn } from '../../../../../../src/daemon/memory/recall/ranking/fuse.js'
import {
  type RefinedRanking,
  rankCandidates,
  refineWithContent,
} from '../../../../../../src/daemon/memory/recall/ranking/rank-candidates.js'
import type { ContentContext, RankContext } from '../../../../../../src/daemon/memory/recall/ranking/step.js'
import { factWidth } from '../../../../../../src/store/index/packed/packed-hits.js'
import type { IndexFacts } from '../../../../../../src/store/index/search.js'

/** 2026-03-15, a Sunday. */
export const now = Date.UTC(2026, 2, 15, 12)

const alone: IndexFacts = {
  who: null,
  createdAt: now,
  session: null,
  previous: null,
  next: null,
  terms: 12,
  sessionTerms: 12,
}

/** Query statistics in a store that is large enough and knows all query words. */
const asked = { words: 3, unknown: 0, volume: 8000 }

type Scores = Record<string, number>
type SampleHits = RankableHits & { ceilings: NonNullable<RankableHits['ceilings']> }
type Facts = ((id: string) => IndexFacts) & { ids: readonly string[] }

/** Returns scores by id as hits; a keyword or hint score of 1 is full coverage. */
export function hitsOf(channels: {
  keyword?: Scores
  expansion?: Scores
  occurrences?: Scores
  hints?: Scores
  vector?: Scores
  sessions?: Scores
}): SampleHits {
  const { keyword = {}, expansion = {}, occurrences = {}, hints = {}, vector = {}, sessions = {} } = channels
  const byWords = Object.keys({ ...keyword, ...expansion, ...occurrences })
  const ids = [...new Set([...byWords, ...Object.keys(vector), ...Object.keys(hints)])]
  const texts = [...ids, ...Object.keys(sessions)]
  const list = (scores: Scores) => ({
    places: Int32Array.from(Object.keys(scores), text => texts.indexOf(text)),
    scores: Float64Array.from(Object.values(scores)),
  })
  const ofWords = (scores: Scores) => Float64Array.from(byWords, id => scores[id] ?? 0)
  return {
    texts,
    rows: ids.length,
    facts: new Int32Array(0),
    createdAt: new Float64Array(0),
    keyword: { places: Int32Array.from(byWords.keys()), scores: ofWords(keyword) },
    expansion: ofWords(expansion),
    coverage: ofWords(keyword),
    occurrences: ofWords(occurrences),
    hints: list(hints),
    vector: list(vector),
    sessions: list(sessions),
    ceilings: { keyword: 1, hints: 1, sessions: 1, ...asked },
  }
}

/** Returns facts by id; missing ones are those of a memory outside sessions. */
export function factsOf(facts: Record<string, Partial<IndexFacts>>): Facts {
  return Object.assign((id: string) => ({ ...alone, ...facts[id] }), { ids: Object.keys(facts) })
}

/** Returns facts of consecutive rows of one session; short turns by default. */
export function conversation(ids: readonly string[], sessionTerms = 20): Record<string, Partial<IndexFacts>> {
  return Object.fromEntries(
    ids.map((id, i) => [
      id,
      { session: 's', previous: ids[i - 1] ?? null, next: ids[i + 1] ?? null, sessionTerms },
    ]),
  )
}

/** Adds facts of the rows, and of further ids, to hits. */
export function withFacts<Hits extends RankableHits>(hits: Hits, facts: Facts, more: Iterable<string> = []) {
  const texts = hits.texts as readonly string[]
  const ids = [...new Set([...texts.slice(0, hits.rows), ...more, ...facts.ids])]
  const known = ids.map(facts)
  const names = new Set(known.flatMap(({ who, session }) => [who ?? [], session ?? []].flat()))
  const all = [...ids, ...new Set([...texts.slice(hits.rows), ...names])]
  const idAt = (id: string | null) => (id === null ? -1 : ids.indexOf(id))
  const nameAt = (name: string | null) => (name === null ? -1 : all.indexOf(name, ids.length))
  const packed = new Int32Array(ids.length * factWidth)
  for (const [row, one] of known.entries())
    packed.set(
      [nameAt(one.who), nameAt(one.session), idAt(one.previous), idAt(one.next), one.terms, one.sessionTerms],
      row * factWidth,
    )
  const { places, scores } = hits.sessions
  return {
    ...hits,
    texts: all,
    rows: ids.length,
    facts: packed,
    createdAt: Float64Array.from(known, ({ createdAt }) => createdAt),
    sessions: { places: places.map(place => nameAt(texts[place]!)), scores },
  }
}

interface SampleContext extends Partial<Pick<RankContext, 'query' | 'hits' | 'graph'>> {
  facts?: Facts
  /** Initial evidence by id. */
  own?: ReadonlyMap<string, number>
}

export function contextOf({
  hits = hitsOf({}),
  facts = factsOf({}),
  own = new Map(),
  ...given
}: SampleContext = {}): RankContext {
  const packed = withFacts(hits, facts, own.keys())
  const led = given.graph ? given.graph.claims.size + given.graph.traversal.size : 0
  return {
    query: 'deploy key rotation',
    hits: packed,
    rows: new CandidateRows(packed, packed.rows + led),
    now,
    ...given,
  }
}

/** Returns a table of rows with initial evidence, 0 for rows without. */
export function tableOf(rows: CandidateRows, own: ReadonlyMap<string, number> = new Map()): EvidenceTable {
  const table = new EvidenceTable(rows)
  const values = new Float64Array(rows.capacity).fill(Number.NaN)
  for (const [id, evidence] of own) if (evidence > 0) values[rows.placeOf(id)!] = evidence
  table.find([{ step: 'keyword', effect: 'add', values }])
  table.widen([...own].flatMap(([id, evidence]) => (evidence > 0 ? [] : [rows.placeOf(id)!])))
  return table
}

type PlaceStep = (context: RankContext, table: EvidenceTable) => Float64Array | undefined

/** Returns the values of a step by id. */
export function valuesOf(step: PlaceStep, given: SampleContext): Map<string, number> {
  const context = contextOf(given)
  const values = step(context, tableOf(context.rows, given.own))
  const some = [...(values ?? [])].flatMap((value, place) =>
    Number.isNaN(value) ? [] : [[context.rows.id(place), value] as const],
  )
  return new Map(some)
}

export function answersOf(hits: SampleHits): Answers {
  return answersIn(hits, new CandidateRows(hits))
}

/** Returns a finished ranking of these channels; all rows have the same neutral text. */
export function rankingOf(
  channels: Parameters<typeof hitsOf>[0],
  given: Partial<ContentContext> = {},
): RefinedRanking {
  const hits = hitsOf(channels)
  const ranked = rankCandidates({ ...contextOf(), hits }).ranked.slice()
  const contents = new Map(ranked.map(({ id }) => [id, 'text']))
  const { coverage, occurrences } = answersOf(hits)
  return refineWithContent(ranked, contentContextOf({ contents, coverage, occurrences, ...given }))
}

/** Returns a context with texts of the rows and no other facts. */
export function contentContextOf(given: Partial<ContentContext> = {}): ContentContext {
  return {
    query: 'deploy key rotation',
    now,
    facts: factsOf({}),
    contents: new Map(),
    asked,
    nearest: 0,
    compared: () => false,
    coverage: () => 0,
    occurrences: () => 0,
    rows: new Map(),
    ratings: new Map(),
    ...given,
  }
}
