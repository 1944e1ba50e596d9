import type { JobKind } from '../../ground/jobs/job-kind.js'

/**
 * Processes one import, which is the job's subject. Attempts without progress are counted in the import
 * itself, because each committed batch resets the count.
 */
export const importJob: JobKind = {
  kind: 'transcript-import',
  maxAttempts: 1_000_000,
  isLocal: true,
  workload: 'memory_capture',
}
