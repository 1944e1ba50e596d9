import type { JobKind } from '../../ground/jobs/job-kind.js'

/**
 * Work on one import; its subject is the import. How often it is tried without coming forward stands in the import
 * itself, since each batch that was committed begins the count anew.
 */
export const importJob: JobKind = {
  kind: 'transcript-import',
  maxAttempts: 1_000_000,
  workload: 'memory_capture',
}
