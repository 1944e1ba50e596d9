import type { Domain } from '../../platform/domain.js'
import { createRetentionWorker } from './retention-worker.js'

/** What is deleted for good when its time is over. */
export const retention: Domain = { workers: [createRetentionWorker] }
