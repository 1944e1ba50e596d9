/** @template Filter the collection's filter. */
export interface IndexQuery<Filter> {
  text: string
  /** Embedding of the query; the vector channel is skipped without it. */
  vector?: Float32Array | undefined
  filter?: Filter
  /** Also computes `expansion`, `coverage` and `occurrences` of the keyword hits. */
  evidence?: boolean
  /** At most this many candidates per channel. */
  depth: number
}

/** Score of one entry in one channel: BM25 for words, cosine (-1..1) for vectors. */
export interface ChannelHit {
  id: string
  score: number
}

/**
 * BM25 of an average-length row (or session) with every query word once; an unknown word counts as one in a
 * single row. A score divided by it is coverage: how much of the query a row answers, comparable across
 * queries.
 */
export interface ChannelCeilings {
  keyword: number
  hints: number
  sessions: number
  /** Distinct words of the query; common question words count half. */
  words: number
  /** Share of these words that the index does not contain, 0..1. */
  unknown: number
  /** Terms in all rows matching the filter, divided by the average row length. */
  volume: number
}

export interface IndexHits {
  /** False when the text left no tokens: keyword and hint channels were skipped (recall.md 1.3.7). */
  searchable: boolean
  keyword: ChannelHit[]
  /** Scores of keyword hits by the distinctive words of the best of them: evidence, not candidates. */
  expansion: ChannelHit[]
  /** Share of the query in each keyword hit, 0..1, weighted by word rarity. */
  coverage: ChannelHit[]
  /** Occurrences of query words in each keyword hit; common question words count half. */
  occurrences: ChannelHit[]
  hints: ChannelHit[]
  vector: ChannelHit[]
  /** BM25 of the hits' whole sessions, each as one text, by session key: evidence, not candidates. */
  sessions: ReadonlyMap<string, number>
  /**
   * Facts about hits and their neighbours by id, as of the end of the search; empty in a collection without
   * sessions.
   */
  facts: ReadonlyMap<string, IndexFacts>
  ceilings: ChannelCeilings
  /** False while the index is still being filled. */
  complete: boolean
  /** Share of the vectors that was scanned (recall.md 1.3.8). */
  vectorCompleteness: 'complete' | 'recent-window' | 'none'
  /** Rows the vector scan covered. */
  searchedWindow: number
  /** Milliseconds per channel. */
  timings: Record<string, number>
}

/** Facts about a candidate available to ranking before content is loaded. */
export interface IndexFacts {
  /** The author, if entries have one. */
  who: string | null
  /** The sort number within a session; for memories milliseconds since the epoch. */
  createdAt: number
  session: string | null
  /**
   * Neighbours in the session by time. Null at the ends, outside sessions, and for rows without facts: only
   * the direct neighbours of hits have facts.
   */
  previous: string | null
  next: string | null
  /** Distinct terms of its text. */
  terms: number
  /** Mean length of its session's rows in terms, rounded down; its own outside sessions. */
  sessionTerms: number
}

export interface IndexStats {
  entries: number
  vectors: number
  terms: number
  bytes: number
  /** Highest change sequence that was applied. */
  change: number
}
