export type EmbeddingKind = 'query' | 'document'

export interface EmbedOptions {
  kind: EmbeddingKind
  /** After this time the promise rejects with `EmbeddingUnavailable`. */
  deadlineMs?: number
  signal?: AbortSignal
  /** Runs only when no foreground call is waiting. */
  background?: boolean
}

/** One call of the provider. */
export interface ProviderCall {
  texts: readonly string[]
  kind: EmbeddingKind
  background: boolean
  outcome: 'ok' | 'error'
}

export const embedderStates = [
  /** No provider is configured. */
  'off',
  /** The model files are not on this machine, and no download is running. */
  'missing',
  'downloading',
  'loading',
  'ready',
  /** The provider fails; `error` has the reason. */
  'failing',
] as const
export type EmbedderState = (typeof embedderStates)[number]

/** Runtime of a local model: machine code for this platform, or WebAssembly. */
export type RuntimeKind = 'native' | 'wasm'

export interface EmbedderStatus {
  provider: 'static' | 'local' | 'openai' | 'ollama' | 'none'
  model: string
  /** Length of its vectors; null until it is known. */
  dimensions: number | null
  available: boolean
  state: EmbedderState
  error?: string
  /** Runtime of a local model, once it was loaded. */
  runtime?: RuntimeKind
  /** Present while downloading; bytes of all files together, null when a total is unknown. */
  progress?: { loadedBytes: number; totalBytes: number | null; file: string }
  checkedAt: string
}

/** The provider can't answer now; callers fall back to keyword search. */
export class EmbeddingUnavailable extends Error {
  override name = 'EmbeddingUnavailable'
}

/** The provider refuses one of these texts, but may accept others. */
export class EmbeddingRefused extends Error {
  override name = 'EmbeddingRefused'
}

/** A vector of unit length; undefined for a text that the model can never embed (see `unreadText`). */
export type EmbeddedText = Float32Array | undefined

/** The reason shown to users when a text can never have a vector. */
export const unreadText = 'the bundled model knows too few of the words (it supports English)'

/** Turns texts into vectors with the configured provider. Safe to share; every call has a time limit. */
export interface Embedder {
  status(): EmbedderStatus
  /**
   * Embeds texts, in the same order.
   * @throws EmbeddingUnavailable without a provider, when it fails, its circuit breaker is open, or the
   * deadline passes.
   * @throws EmbeddingRefused when it refuses one of the texts.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<EmbeddedText[]>
  /** Starts loading or downloading in the background; returns at once. */
  warm(): void
  /**
   * Downloads missing model files even if automatic downloads are off. Returns at once; see
   * `status().progress`.
   */
  pull(): void
  /** Calls `listener` whenever the state changes; returns an unsubscribe function. */
  onChange(listener: (status: EmbedderStatus) => void): () => void
  close(): Promise<void>
}
