import type { EmbedderStatus } from './embedder.js'

/** What a provider knows about itself before any call. */
export interface ProviderReadiness {
  state: 'missing' | 'downloading' | 'loading' | 'ready'
  error?: string
  runtime?: EmbedderStatus['runtime']
  progress?: EmbedderStatus['progress']
}

/** One way to turn texts into vectors. It does no queueing, caching or circuit breaking. */
export interface EmbeddingProvider {
  /** Calls that may run at the same time, and how many of those may be background work. */
  concurrency: { total: number; background: number }
  /** The largest call it is given (one text may be longer than `maxChars`). */
  batch: { maxTexts: number; maxChars: number }
  readiness(): ProviderReadiness
  /** Starts fetching what is missing; `force` does so whatever the settings say. Returns at once. */
  prepare(force: boolean): void
  /**
   * Raw vectors in the order of the texts, any length and scale; undefined for a text of which the model knows too little
   * to make one, and always will.
   * @throws ProviderError, or the signal's reason once it is aborted (a provider that can't stop early may still answer).
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<RawVector[]>
  /**
   * The same at once, of one text, where that takes less than a millisecond and nothing: nobody has to queue for it.
   * Undefined where it would have to wait.
   */
  embedAtOnce?(text: string): { vector: RawVector } | undefined
  close(): Promise<void>
}

export type RawVector = ArrayLike<number> | undefined

export interface ProviderErrorOptions extends ErrorOptions {
  /** Trying again soon is useless: a wrong key, an unknown model. */
  atOnce?: boolean
  /** The provider asked for this pause, in milliseconds. */
  retryAfterMs?: number
}

/**
 * The provider failed. Everyone who may recall reads the message: it holds no secret and no word of the provider, which
 * may quote the text of somebody else.
 */
export class ProviderError extends Error {
  override name = 'ProviderError'
  readonly atOnce: boolean
  readonly retryAfterMs: number

  constructor(message: string, { atOnce = false, retryAfterMs = 0, ...options }: ProviderErrorOptions = {}) {
    super(message, options)
    this.atOnce = atOnce
    this.retryAfterMs = retryAfterMs
  }
}

/** The provider works and refuses one of the texts: that says nothing about the next one. */
export class TextRefused extends ProviderError {
  override name = 'TextRefused'
}

/** The pino methods this folder uses. */
export interface EmbeddingLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}
