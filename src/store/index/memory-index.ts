/** What the index knows of one memory. It never keeps `content` or `hints`: they are analysed and dropped. */
export interface IndexDocument {
  id: string
  /** Change sequence of the row that this document was made from; later changes win. */
  change: number
  content: string
  /** Alternate phrasings written at save time; searched as a channel of their own. */
  hints: readonly string[]
  type: string
  tags: readonly string[]
  who: string | null
  project: string | null
  scope: string | null
  agentId: string
  visibility: string
  pinned: boolean
  importance: number
  /** Milliseconds since the epoch. */
  createdAt: number
  /** Rows of one conversation or file share it; null for a memory that stands alone. */
  session: string | null
  /** `heldLabels` of the holders beside the first, whose agent, project, scope and visibility stand above. */
  held?: readonly string[] | undefined
}

/**
 * Restrictions that are applied before scoring. A missing field does not restrict (spec 1, 1.3.3 and 1.3.4). Agent,
 * project and scope may each be met by another holder of a row: SQL knows who holds what where.
 */
export interface IndexFilter {
  types?: readonly string[]
  /** Every one of them must be present. */
  tags?: readonly string[]
  who?: string
  project?: string
  /** null: only rows without a scope (spec 1, 1.3.3). */
  scope?: string | null
  /** Rows of these agents, any visibility but `archived`. */
  agents?: readonly string[]
  /** Also rows of every other agent whose visibility is `global`. */
  includeGlobal?: boolean
  pinned?: boolean
  importanceMin?: number
  /** Milliseconds, inclusive. */
  since?: number
  until?: number
}

export interface IndexQuery {
  text: string
  /** Embedding of the query; the vector channel is skipped without it. */
  vector?: Float32Array | undefined
  filter?: IndexFilter
  /** At most this many candidates per channel. */
  depth: number
}

/** Score of one memory in one channel: BM25 for words, cosine (-1..1) for vectors. */
export interface ChannelHit {
  id: string
  score: number
}

/**
 * BM25 that a row (or session) of average length would get by holding every word of the query once, where a word
 * that the index does not know counts as one that a single row holds. A score divided by it is coverage: how much
 * of the query a row answers to, comparable across queries.
 */
export interface ChannelCeilings {
  keyword: number
  hints: number
  sessions: number
  /** Distinct words of the query. */
  words: number
}

export interface IndexHits {
  /** False when the text left no tokens: keyword and hint channels were skipped (spec 1, 1.3.7). */
  searchable: boolean
  keyword: ChannelHit[]
  hints: ChannelHit[]
  vector: ChannelHit[]
  /** BM25 of the hits' whole sessions (all their rows as one document) by session key: evidence, not candidates. */
  sessions: ReadonlyMap<string, number>
  /** Of every hit and the rows beside it, by id, as they were when the search ended. */
  facts: ReadonlyMap<string, IndexFacts>
  ceilings: ChannelCeilings
  /** False while memories are missing, because the index is still being filled. */
  complete: boolean
  /** How much of the vectors was looked at (spec 1, 1.3.8). */
  vectorCompleteness: 'complete' | 'recent-window' | 'none'
  /** Rows the vector scan covered. */
  searchedWindow: number
  /** Milliseconds per channel. */
  timings: Record<string, number>
}

/** What ranking may know of a candidate before any content is loaded. */
export interface IndexFacts {
  who: string | null
  /** Milliseconds since the epoch. */
  createdAt: number
  session: string | null
  /**
   * Ids of the rows before and after it in its session, by time; null at the ends, outside sessions, and for rows that
   * have no facts themselves: a hit's neighbours have some, what lies beyond them does not matter.
   */
  previous: string | null
  next: string | null
}

export interface IndexStats {
  documents: number
  vectors: number
  terms: number
  bytes: number
  /** Highest change sequence that was applied. */
  change: number
}
