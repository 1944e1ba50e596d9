import type { IndexFacts } from '../../../../store/index/search.js'

/**
 * Facts of a row that the index tells none of: it stands in no session as far as is known, and how many words its text
 * has tells how many it says by chance.
 */
export function loneFacts(text: string): IndexFacts {
  const terms = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu)).size
  return { who: null, createdAt: 0, session: null, previous: null, next: null, terms, sessionTerms: terms }
}
