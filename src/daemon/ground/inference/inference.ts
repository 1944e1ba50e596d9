import type { z } from 'zod'
import type { InferenceUse } from '../../../contract/ground/inference.js'
import type { BreakerState } from '../../../lib/concurrency/breaker.js'
import type { RunningOperation } from '../../../lib/concurrency/in-flight.js'

/** One question to a language model. */
export interface Question<T> {
  use: InferenceUse
  /** What it is to do, in our words; nothing of anybody else stands here. */
  instructions: string
  /** What it is about; texts of others stand in sections, see `section`. */
  input: string
  /** Name of the answer's form: letters, digits and `_`. */
  name: string
  /** The form of the answer, reasons before verdicts: models write it in the order of its fields. */
  schema: z.ZodType<T>
  maxOutputTokens: number
  /** Of everything: waiting for a place, the key, the answer. */
  deadlineMs: number
  /** The caller goes on without an answer: counted as a fallback. */
  hasFallback?: true
  /** Tokens that this use may spend in a day (UTC). */
  maxTokensPerDay: number
  signal?: AbortSignal
  /** Whom it is asked for; background work asks for nobody. */
  asker?: Asker
}

/** An agent, and whether one of its sessions waits for the answer. */
export interface Asker {
  agentId: string
  inSession: boolean
  /** Of the session that it is for, whose events tell what it cost. */
  sessionKey?: string | undefined
}

/** A question that was let in and is not answered yet. */
export interface OpenQuestion {
  use: InferenceUse
  asker: Asker | undefined
}

/** Where a number of tokens or dollars comes from; words of telemetry (rules.md 6). */
export type TokenCoverage = 'provider_reported' | 'locally_estimated' | 'unavailable'
export type CostCoverage = 'provider_reported' | 'configured_rate' | 'local_zero_cost' | 'unavailable'

/** What questions cost. */
export interface Spent {
  /** Requests that were sent. */
  calls: number
  /** All of the input, that from caches included. */
  inputTokens: number
  outputTokens: number
  /** Null where the server does not tell. */
  cacheReadTokens: number | null
  cacheWriteTokens: number | null
  tokenCoverage: TokenCoverage
  /** US dollars; null when unknown. */
  cost: number | null
  costCoverage: CostCoverage
}

export interface Answer<T> {
  value: T
  spent: Spent
}

/**
 * Why there is no answer. `off`, `incomplete`: the settings name no provider, or not all of it; `paused`: it failed and
 * is not asked for a while; `busy`: too many questions wait; `spent`: the limit of the day; `late`: the deadline passed;
 * `unreachable`, `limited`, `unauthorized`, `unknown_model`: what the server did; `declined`: the model would not;
 * `refused`: the server takes no such request; `cut`: the answer was longer than it may be; `malformed`: it has not the
 * form that was asked for.
 */
export type InferenceFaultKind =
  | 'off'
  | 'incomplete'
  | 'paused'
  | 'busy'
  | 'spent'
  | 'late'
  | 'unreachable'
  | 'limited'
  | 'unauthorized'
  | 'unknown_model'
  | 'declined'
  | 'refused'
  | 'cut'
  | 'malformed'

/** A question without an answer, in words that hold no text of anybody, no key and no word of the provider. */
export class InferenceFault extends Error {
  readonly kind: InferenceFaultKind
  /** What it cost all the same; nothing when nothing was sent. */
  spent: Spent | undefined
  /** The provider asked for this pause. */
  readonly retryAfterMs: number | undefined
  /** The server certainly counted nothing: it answered with an error, or was not there. */
  readonly isFree: boolean

  constructor(
    kind: InferenceFaultKind,
    message: string,
    { retryAfterMs, isFree = false }: { retryAfterMs?: number | undefined; isFree?: boolean } = {},
  ) {
    super(message)
    this.name = 'InferenceFault'
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.isFree = isFree
  }
}

/** How the provider does, without asking it. */
export interface InferenceState {
  /** What is wrong now, or failed last. */
  error: string | undefined
  /** Milliseconds since the epoch of the last answer or failure; null before the first. */
  checkedAt: number | null
  breaker: { state: BreakerState; remainingMs: number }
  /** Questions on their way, and questions that wait for a place. */
  inFlight: number
  waiting: number
}

/** The language model of the settings. Safe to share; every question is bounded. */
export interface Inference {
  state(): InferenceState
  /** Questions without an answer so far, those that wait for a place among them. */
  open(): RunningOperation<OpenQuestion>[]
  /**
   * Asks and checks the answer.
   * @throws InferenceFault; the signal's reason when that was aborted
   */
  ask<T>(question: Question<T>): Promise<Answer<T>>
  /** Aborts what is on its way. */
  close(): Promise<void>
}

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
  /** Usage so far. */
  spent(): Spent | undefined
  /** Saves the record. @param fault reason for a missing answer */
  end(end: { durationMs: number; fault?: InferenceFault | 'cancelled' | undefined }): Promise<void>
}

/** Opens the entry of a question. */
export type OpenEntry = (question: Question<unknown>) => Entry
