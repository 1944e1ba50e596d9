import type {
  ContentContext,
  RankableHits,
  RankContext,
} from '../../../../../../src/daemon/memory/recall/ranking/evidence.js'
import type { IndexFacts } from '../../../../../../src/store/index/search.js'

/** 2026-03-15, a Sunday. */
export const now = Date.UTC(2026, 2, 15, 12)

const alone: IndexFacts = { who: null, createdAt: now, session: null, previous: null, next: null }

/** Scores by id as hits, with ceilings that make a keyword or hint score of 1 full coverage. */
export function hitsOf(channels: {
  keyword?: Record<string, number>
  hints?: Record<string, number>
  vector?: Record<string, number>
  sessions?: Record<string, number>
}): RankableHits {
  const list = (scores: Record<string, number> = {}) =>
    Object.entries(scores).map(([id, score]) => ({ id, score }))
  return {
    keyword: list(channels.keyword),
    hints: list(channels.hints),
    vector: list(channels.vector),
    sessions: new Map(Object.entries(channels.sessions ?? {})),
    ceilings: { keyword: 1, hints: 1, sessions: 1, words: 3 },
  }
}

/** Facts by id; what is left out is a memory that stands alone. */
export function factsOf(facts: Record<string, Partial<IndexFacts>>): RankContext['facts'] {
  return id => ({ ...alone, ...facts[id] })
}

/** Facts of one session whose rows follow each other. */
export function conversation(...ids: string[]): Record<string, Partial<IndexFacts>> {
  return Object.fromEntries(
    ids.map((id, i) => [id, { session: 's', previous: ids[i - 1] ?? null, next: ids[i + 1] ?? null }]),
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

/** Rows of which nothing is known but their texts. */
export function contentContextOf(given: Partial<ContentContext> = {}): ContentContext {
  return { ...contextOf(), contents: new Map(), rows: new Map(), ratings: new Map(), ...given }
}
