import type { z } from 'zod'
import type { InferenceUse } from '../../../contract/ground/inference.js'
import type { Settings } from '../../../contract/settings.js'
import type { BreakerState } from '../../../lib/concurrency/breaker.js'
import type { RunningOperation } from '../../../lib/concurrency/in-flight.js'

/** One question to a language model. */
export interface Question<T> {
  use: InferenceUse
  /** Our instructions; must not contain text from others. */
  instructions: string
  /** The subject; texts from others are wrapped in sections, see `section`. */
  input: string
  /** Schema name: letters, digits and `_`. */
  name: string
  /** Schema of the answer. Models fill fields in order, so reasons come before verdicts. */
  schema: z.ZodType<T>
  maxOutputTokens: number
  /** Limit for everything: queue, key, answer. */
  deadlineMs: number
  /** The caller continues without an answer; counted as a fallback. */
  hasFallback?: true
  /** Daily token limit of this use (UTC). */
  maxTokensPerDay: number
  signal?: AbortSignal
  /** Asking agent; undefined for background work. */
  asker?: Asker
}

/** An agent, and whether one of its sessions waits for the answer. */
export interface Asker {
  agentId: string
  inSession: boolean
  /** Session whose events include the cost. */
  sessionKey?: string | undefined
}

/** An accepted, unanswered question. */
export interface OpenQuestion {
  use: InferenceUse
  asker: Asker | undefined
}

/** Source of a token count or cost; telemetry words (rules.md 6). */
export type TokenCoverage = 'provider_reported' | 'locally_estimated' | 'unavailable'
export type CostCoverage = 'provider_reported' | 'configured_rate' | 'local_zero_cost' | 'unavailable'

/** Tokens and cost of questions. */
export interface ModelUsage {
  /** Number of requests sent. */
  calls: number
  /** All input tokens, including cached ones. */
  inputTokens: number
  outputTokens: number
  /** Null if the server does not report it. */
  cacheReadTokens: number | null
  cacheWriteTokens: number | null
  tokenCoverage: TokenCoverage
  /** US dollars; null when unknown. */
  cost: number | null
  costCoverage: CostCoverage
}

export interface Answer<T> {
  value: T
  spent: ModelUsage
}

/**
 * Kinds of failed questions.
 * - `off`, `incomplete`: the provider is unset, or settings are missing.
 * - `paused`: the provider failed and is not asked for a while.
 * - `busy`: too many questions are queued. `spent`: the daily limit is reached. `late`: the deadline passed.
 * - `unreachable`, `limited`, `unauthorized`, `unknown_model`: the server's fault or status.
 * - `declined`: the model refused. `refused`: the server rejects such requests.
 * - `cut`: the answer reached the output limit. `malformed`: the answer does not match the schema.
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

/** A failed question; its message contains no user text, key, or words of the provider. */
export class InferenceFault extends Error {
  readonly kind: InferenceFaultKind
  /** Usage despite the failure; undefined if nothing was sent. */
  spent: ModelUsage | undefined
  /** Pause requested by the provider. */
  readonly retryAfterMs: number | undefined
  /** True if the server certainly charged nothing: it returned an error, or was not reached. */
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

/** Health of the provider, without asking it. */
export interface InferenceState {
  /** The current or last error. */
  error: string | undefined
  /** Milliseconds since the epoch of the last answer or failure; null before the first. */
  checkedAt: number | null
  breaker: { state: BreakerState; remainingMs: number }
  /** Running and queued questions. */
  inFlight: number
  waiting: number
}

/** The configured language model. Safe to share; every question is bounded. */
export interface Inference {
  state(): InferenceState
  /** Unanswered questions, including queued ones. */
  open(): RunningOperation<OpenQuestion>[]
  /**
   * Asks and validates the answer.
   * @throws InferenceFault; the signal's reason when aborted
   */
  ask<T>(question: Question<T>): Promise<Answer<T>>
  /** Aborts running questions. */
  close(): Promise<void>
}

/** The outcome of one request of a question. */
export interface RequestRecord {
  outcome: 'ok' | 'error' | 'cancelled'
  durationMs: number
  /** Tokens reserved for it. */
  reserved: number
  /** Undefined if the server did not report it. */
  spent: ModelUsage | undefined
  /** True if the server certainly charged nothing: it rejected the request, or was not reached. */
  isFree: boolean
}

/** Accounting of a question in progress. */
export interface QuestionRecord {
  /** Reserves tokens ahead, so that they stay counted after a crash. @throws InferenceFault `spent` */
  reserve(tokens: number): Promise<void>
  /** Records a sent request with its cost. */
  sent(request: RequestRecord): void
  /** Records that the schema is described in the instructions. */
  fellBack(): void
  /** Usage so far. */
  spent(): ModelUsage | undefined
  /** Saves the record. @param fault reason for a missing answer */
  end(end: { durationMs: number; fault?: InferenceFault | 'cancelled' | undefined }): Promise<void>
}

/** Starts the accounting of a question. */
export type OpenQuestionRecord = (question: Question<unknown>) => QuestionRecord

/**
 * True if the settings allow a use of the model: a provider is set, and the use is enabled
 * (inference.md#uses).
 */
export function isEnabled({ inference, recall, dreaming }: Settings, use: InferenceUse): boolean {
  if (inference.provider === 'none') return false
  const enabled: Record<InferenceUse, boolean> = {
    dreaming: dreaming.useProvider,
    recall_summary: recall.summary.useProvider,
    reranking: recall.reranking.useProvider,
  }
  return enabled[use]
}

/** Daily token limit of a use, UTC (inference.md#limits). */
export function limitOf({ recall, dreaming }: Settings, use: InferenceUse): number {
  const limits: Record<InferenceUse, number> = {
    dreaming: dreaming.maxTokensPerDay,
    recall_summary: recall.maxTokensPerDay,
    reranking: recall.maxTokensPerDay,
  }
  return limits[use]
}
