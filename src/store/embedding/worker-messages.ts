import type { WeightFormat } from '../../lib/workspace/model-folder.js'
import type { RuntimeKind } from './embedder.js'
import type { Pooling } from './models.js'

export interface WorkerSetup {
  folder: string
  format: WeightFormat
  pooling: Pooling
  /** Where a native runtime was installed, if one was. */
  runtimeDir: string
}

export interface WorkerRequest {
  id: number
  texts: readonly string[]
}

/** `loaded` or `failed` comes once, before any answer; an answer holds all vectors one after the other. */
export type WorkerReply =
  | { type: 'loaded'; runtime: RuntimeKind }
  | { type: 'failed'; error: string }
  | { type: 'vectors'; id: number; values: Float32Array }
  | { type: 'error'; id: number; error: string }
