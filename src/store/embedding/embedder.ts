export type EmbeddingKind = 'query' | 'document'

export interface EmbedOptions {
  kind: EmbeddingKind
  /** Give up after this long; the promise rejects with `EmbeddingUnavailable`. */
  deadlineMs?: number
  signal?: AbortSignal
  /** Back-fill work waits behind everything a caller waits for. */
  background?: boolean
}

/** One call of the provider. */
export interface AskedTexts {
  texts: readonly string[]
  kind: EmbeddingKind
  background: boolean
  outcome: 'ok' | 'error'
}

export const embedderStates = [
  /** No provider is configured. */
  'off',
  /** The model files are not on this machine (and nothing is fetching them). */
  'missing',
  'downloading',
  'loading',
  'ready',
  /** The provider answers with errors; `error` says which. */
  'failing',
] as const
export type EmbedderState = (typeof embedderStates)[number]

/** What computes a model on this machine: machine code for this platform, or WebAssembly. */
export type RuntimeKind = 'native' | 'wasm'

export interface EmbedderStatus {
  provider: 'static' | 'local' | 'openai' | 'ollama' | 'none'
  model: string
  /** Length of its vectors; null until it is known. */
  dimensions: number | null
  available: boolean
  state: EmbedderState
  error?: string
  /** What computes a local model, once one was loaded. */
  runtime?: RuntimeKind
  /** Present while downloading; bytes of all files together, null when a total is unknown. */
  progress?: { loadedBytes: number; totalBytes: number | null; file: string }
  checkedAt: string
}

/** The provider can't answer now; the caller goes on by keyword. */
export class EmbeddingUnavailable extends Error {
  override name = 'EmbeddingUnavailable'
}

/** The provider answers, but not for one of these texts; for others it may. */
export class EmbeddingRefused extends Error {
  override name = 'EmbeddingRefused'
}

/** A vector of unit length; undefined for a text that the model will never take: `unreadText` says why. */
export type EmbeddedText = Float32Array | undefined

/** Why a text has no vector and never will, for people. */
export const unreadText = 'the model of this package knows too few of the words (it reads English)'

/** Turns texts into vectors by the configured provider. Safe to share; every call is bounded. */
export interface Embedder {
  status(): EmbedderStatus
  /**
   * What became of each text, in the same order.
   * @throws EmbeddingUnavailable when there is no provider, it fails, its circuit breaker is open, or the deadline passes.
   * @throws EmbeddingRefused when it refuses one of the texts.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<EmbeddedText[]>
  /** Starts getting ready (load or download in the background); returns at once. */
  warm(): void
  /** Fetches the model files if they are missing, whatever the download setting. Returns at once; see `status().progress`. */
  pull(): void
  /** Calls back whenever the state changes; returns an unsubscribe function. */
  onChange(listener: (status: EmbedderStatus) => void): () => void
  close(): Promise<void>
}
