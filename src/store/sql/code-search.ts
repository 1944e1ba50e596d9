import { plannedOnce } from './dialect.js'

/** Symbols by words, as FTS5 finds and ranks them: the best first, the lower a score the better. */
export const symbolsByWords = plannedOnce(
  'SELECT rowid AS id, bm25(words, 8.0, 2.0, 2.0, 1.0) AS score FROM words WHERE words MATCH ? ORDER BY score LIMIT ?',
)
