import type { IndexFacts } from '../../../../store/index/search.js'
import { weights } from './weights.js'

/**
 * How far a row is a turn of a talk, where neighbours and replies complete what is said: 1 in a session of short
 * turns, 0 in one of pages, such as the answers of an assistant; 0 outside sessions. Told by the mean length of the
 * session's rows.
 */
export function talkShare(facts: IndexFacts | undefined): number {
  return facts?.session ? talkOfTurns(facts.sessionTerms) : 0
}

/** The same of a row of a session, by the mean length of its rows in terms. */
export function talkOfTurns(sessionTerms: number): number {
  const { shortTurn, longTurn } = weights.talk
  return Math.min(1, Math.max(0, (longTurn - sessionTerms) / (longTurn - shortTurn)))
}

/** Whether the rows of a session are pages. */
export function isLongTurn(sessionTerms: number): boolean {
  return sessionTerms >= weights.talk.longTurn
}
