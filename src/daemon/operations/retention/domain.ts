import type { Domain } from '../../platform/domain.js'
import { createRetentionWorker } from './retention-worker.js'

/** Permanently deletes rows past their retention. */
export const retention: Domain = { workers: [createRetentionWorker] }
