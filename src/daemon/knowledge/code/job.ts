import type { JobKind } from '../../ground/jobs/job-kind.js'

/**
 * Indexes the code of a project, which is the job's subject. The attempt limit is high because a killed
 * daemon uses up one.
 */
export const codeIndexJob: JobKind = { kind: 'code_index', maxAttempts: 20, isLocal: true }
