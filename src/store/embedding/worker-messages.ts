import type { WeightFormat } from '../../lib/model-folder.js'
import type { Pooling } from './models.js'

export interface WorkerSetup {
  folder: string
  format: WeightFormat
  pooling: Pooling
}

export interface WorkerRequest {
  id: number
  texts: readonly string[]
}

/** `loaded` or `failed` comes once, before any answer; an answer holds all vectors one after the other. */
export type WorkerReply =
  | { type: 'loaded' }
  | { type: 'failed'; error: string }
  | { type: 'vectors'; id: number; values: Float32Array }
  | { type: 'error'; id: number; error: string }
