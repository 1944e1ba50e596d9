import type {
  ContentContext,
  RankableHits,
  RankContext,
} from '../../../../../../src/daemon/memory/recall/ranking/evidence.js'
import {
  coverageIn,
  nearness,
  occurrencesIn,
} from '../../../../../../src/daemon/memory/recall/ranking/fuse.js'
import { rankCandidates } from '../../../../../../src/daemon/memory/recall/ranking/rank-candidates.js'
import {
  type RefinedRanking,
  refineWithContent,
} from '../../../../../../src/daemon/memory/recall/ranking/refine-with-content.js'
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

/** How a query stands to a store that knows all its words and is no small one. */
const asked = { words: 3, unknown: 0, volume: 8000 }

/** Scores by id as hits, with ceilings that make a score of 1 full coverage, by words or hints. */
export function hitsOf(channels: {
  keyword?: Record<string, number>
  expansion?: Record<string, number>
  occurrences?: Record<string, number>
  hints?: Record<string, number>
  vector?: Record<string, number>
  sessions?: Record<string, number>
}): RankableHits {
  const list = (scores: Record<string, number> = {}) =>
    Object.entries(scores).map(([id, score]) => ({ id, score }))
  return {
    keyword: list(channels.keyword),
    expansion: list(channels.expansion),
    coverage: list(channels.keyword),
    occurrences: list(channels.occurrences),
    hints: list(channels.hints),
    vector: list(channels.vector),
    sessions: new Map(Object.entries(channels.sessions ?? {})),
    ceilings: { keyword: 1, hints: 1, sessions: 1, ...asked },
  }
}

/** Facts by id; what is left out is a memory that stands alone. */
export function factsOf(facts: Record<string, Partial<IndexFacts>>): RankContext['facts'] {
  return id => ({ ...alone, ...facts[id] })
}

/** Facts of one session whose rows follow each other, of so many terms each: short turns unless told otherwise. */
export function conversation(ids: readonly string[], sessionTerms = 20): Record<string, Partial<IndexFacts>> {
  return Object.fromEntries(
    ids.map((id, i) => [
      id,
      { session: 's', previous: ids[i - 1] ?? null, next: ids[i + 1] ?? null, sessionTerms },
    ]),
  )
}

export function contextOf(given: Partial<RankContext> = {}): RankContext {
  return {
    query: 'deploy key rotation',
    hits: hitsOf({}),
    facts: factsOf({}),
    own: new Map(),
    now,
    ...given,
  }
}

/** A finished ranking of these channels, as a recall makes it; each row has a text that says nothing. */
export function rankingOf(
  channels: Parameters<typeof hitsOf>[0],
  given: Partial<ContentContext> = {},
): RefinedRanking {
  const hits = hitsOf(channels)
  const context = contextOf({ hits, ...(given.facts && { facts: given.facts }) })
  const { ranked } = rankCandidates(context)
  const contents = new Map(ranked.map(({ id }) => [id, 'text']))
  return refineWithContent(
    ranked,
    contentContextOf({
      ...context,
      contents,
      coverage: coverageIn(hits, nearness(hits.vector)),
      occurrences: occurrencesIn(hits, nearness(hits.vector)),
      ...given,
    }),
  )
}

/** Rows of which nothing is known but their texts. */
export function contentContextOf(given: Partial<ContentContext> = {}): ContentContext {
  return {
    ...contextOf(),
    contents: new Map(),
    asked,
    nearest: 0,
    coverage: new Map(),
    occurrences: () => 0,
    rows: new Map(),
    ratings: new Map(),
    ...given,
  }
}
