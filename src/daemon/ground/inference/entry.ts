import type { InferenceFault, Question, Spent } from './inference.js'

/** One request of a question, as it went. */
export interface Request {
  outcome: 'ok' | 'error' | 'cancelled'
  durationMs: number
  /** Tokens that were counted for it ahead. */
  reserved: number
  /** Undefined when no answer came that would say. */
  spent: Spent | undefined
  /** The server certainly did nothing: it refused the request, or was not there. */
  isFree: boolean
}

/** A question while it is asked. */
export interface Entry {
  /** Counts tokens ahead: what a kill interrupts stays counted. @throws InferenceFault `spent` */
  reserve(tokens: number): Promise<void>
  /** Notes a request that was sent, with what it cost. */
  sent(request: Request): void
  /** Notes that the form of the answer is asked for in words. */
  fellBack(): void
  /** What was spent so far. */
  spent(): Spent | undefined
  /** Writes everything down. @param fault why there is no answer */
  end(end: { durationMs: number; fault?: InferenceFault | 'cancelled' | undefined }): Promise<void>
}

/** Opens the entry of a question. */
export type OpenEntry = (question: Question<unknown>) => Entry
