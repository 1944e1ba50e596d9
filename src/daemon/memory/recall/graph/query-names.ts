import { queryStopWords, weakQueryWords } from '../../../../store/index/words/analysis/stop-words.js'
import { nameWords, runsAt } from '../../../ground/entities/name-key.js'
import { weights } from '../ranking/weights.js'

const weak: ReadonlySet<string> = new Set(weakQueryWords)

/** Characters and words of a query in which names are looked for: a question is shorter. */
const maxCharacters = 4000
const maxWords = 64

/** What a query may name. */
export interface QueryNames {
  /** Every run of its words that may be a name, folded; none that is made of words that say nothing. */
  keys: readonly string[]
  /** Share of the query that the words of some names are, 0..1, as the index counts words: weak ones half. */
  shareOf: (keys: Iterable<string>) => number
}

/** Reads names off a query in whole words. */
export function namesIn(query: string): QueryNames {
  const words = nameWords(query.slice(0, maxCharacters)).slice(0, maxWords)
  const keys = new Set(words.flatMap((_, at) => runsAt(words, at)))
  const counted = (some: Iterable<string>) => [...new Set(some)].reduce((sum, word) => sum + countOf(word), 0)
  // A long question is held to a few words, as it is by the index.
  const full = Math.min(Math.max(1, counted(words)), weights.fuse.fullQuestionWords)
  return {
    keys: [...keys].filter(key => {
      const words = key.split(' ')
      // One word is nearly always enough.
      return words.some(word => countOf(word) >= 1) || counted(words) >= 1
    }),
    shareOf: names => Math.min(1, counted([...names].flatMap(name => name.split(' '))) / full),
  }
}

/** What a word of a query counts. */
function countOf(word: string): number {
  if (queryStopWords.has(word)) return 0
  return weak.has(word) ? 0.5 : 1
}
