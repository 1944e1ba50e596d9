/** @template Filter what a collection lets its searches ask for. */
export interface IndexQuery<Filter> {
  text: string
  /** Embedding of the query; the vector channel is skipped without it. */
  vector?: Float32Array | undefined
  filter?: Filter
  /** Also tells how the rows found by keyword stand to the query as a whole: `expansion`, `coverage` and `occurrences` of the hits. */
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
 * BM25 that a row (or session) of average length would get by holding every word of the query once, where a word
 * that the index does not know counts as one that a single row holds. A score divided by it is coverage: how much
 * of the query a row answers to, comparable across queries.
 */
export interface ChannelCeilings {
  keyword: number
  hints: number
  sessions: number
  /** Distinct words of the query; a word of which questions are made counts half. */
  words: number
  /** Share of these words that nothing in the index holds, 0..1. */
  unknown: number
  /** Terms in all rows that the filter lets through, by the average length of a row. */
  volume: number
}

export interface IndexHits {
  /** False when the text left no tokens: keyword and hint channels were skipped (recall.md 1.3.7). */
  searchable: boolean
  keyword: ChannelHit[]
  /** What the rows found by keyword hold of the words that stand out in the best of them: evidence, not candidates. */
  expansion: ChannelHit[]
  /** How much of the query the rows found by keyword hold, 0..1, by the rarity of its words. */
  coverage: ChannelHit[]
  /** How often the same rows say words of the query; a word of which questions are made counts half. */
  occurrences: ChannelHit[]
  hints: ChannelHit[]
  vector: ChannelHit[]
  /** BM25 of the hits' whole sessions (all their rows as one text) by session key: evidence, not candidates. */
  sessions: ReadonlyMap<string, number>
  /**
   * Of every hit and the rows beside it, by id, as they were when the search ended; none in a collection without
   * sessions.
   */
  facts: ReadonlyMap<string, IndexFacts>
  ceilings: ChannelCeilings
  /** False while entries are missing, because the index is still being filled. */
  complete: boolean
  /** How much of the vectors was looked at (recall.md 1.3.8). */
  vectorCompleteness: 'complete' | 'recent-window' | 'none'
  /** Rows the vector scan covered. */
  searchedWindow: number
  /** Milliseconds per channel. */
  timings: Record<string, number>
}

/** What ranking may know of a candidate before any content is loaded. */
export interface IndexFacts {
  /** The author, where entries have one. */
  who: string | null
  /** The number by which entries of a session follow each other; of memories milliseconds since the epoch. */
  createdAt: number
  session: string | null
  /**
   * Ids of the rows before and after it in its session, by time; null at the ends, outside sessions, and for rows that
   * have no facts themselves: a hit's neighbours have some, what lies beyond them does not matter.
   */
  previous: string | null
  next: string | null
  /** Distinct terms of its text. */
  terms: number
  /** Mean length of the rows of its session in terms, rounded down; its own outside sessions. */
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
