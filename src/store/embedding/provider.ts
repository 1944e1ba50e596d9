import type { EmbedderStatus } from './embedder.js'

/** State of a provider that is known without calling it. */
export interface ProviderReadiness {
  state: 'missing' | 'downloading' | 'loading' | 'ready'
  error?: string
  runtime?: EmbedderStatus['runtime']
  progress?: EmbedderStatus['progress']
}

/** Turns texts into vectors, without queueing, caching or circuit breaking. */
export interface EmbeddingProvider {
  /** Maximum number of concurrent calls, in total and for background work. */
  concurrency: { total: number; background: number }
  /** Largest call (a single text may be longer than `maxChars`). */
  batch: { maxTexts: number; maxChars: number }
  readiness(): ProviderReadiness
  /** Starts downloading missing files; `force` ignores the settings. Returns at once. */
  prepare(force: boolean): void
  /**
   * Returns raw vectors in the order of the texts, of any length and scale; undefined for a text that the
   * model knows too little of to ever embed.
   * @throws ProviderError, or the signal's reason once it is aborted (a provider that can't stop early may
   * still answer).
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<RawVector[]>
  /**
   * Embeds one text synchronously if that takes less than a millisecond, so that no queue is needed;
   * undefined if the model is not loaded.
   */
  embedAtOnce?(text: string): { vector: RawVector } | undefined
  close(): Promise<void>
}

export type RawVector = ArrayLike<number> | undefined

export interface ProviderErrorOptions extends ErrorOptions {
  /** Retrying soon is useless: a wrong key, an unknown model. */
  atOnce?: boolean
  /** The provider requested this pause, in milliseconds. */
  retryAfterMs?: number
}

/**
 * The provider failed. Everyone who may recall can read the message, so it contains no secret and no text of
 * the provider, which may quote other users' texts.
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

/** The provider works but refuses one of the texts; others are unaffected. */
export class TextRefused extends ProviderError {
  override name = 'TextRefused'
}

/** The pino methods this folder uses. */
export interface EmbeddingLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}
