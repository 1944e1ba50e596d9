import type { IndexFacts } from '../../../../store/index/search.js'
import { weights } from './weights.js'

/**
 * How far a row is a turn of a talk, where neighbours and replies complete what is said: 1 in a session of short
 * turns, 0 in one of pages, such as the answers of an assistant; 0 outside sessions. Told by the mean length of the
 * session's rows.
 */
export function talkShare(facts: IndexFacts | undefined): number {
  if (!facts?.session) return 0
  const { shortTurn, longTurn } = weights.talk
  return Math.min(1, Math.max(0, (longTurn - facts.sessionTerms) / (longTurn - shortTurn)))
}

/** @returns whether a row belongs to a session of pages: its answers repeat every word of the matter. */
export function isPage(facts: IndexFacts | undefined): boolean {
  return facts?.session != null && facts.sessionTerms >= weights.talk.longTurn
}
