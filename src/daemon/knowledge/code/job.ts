import type { JobKind } from '../../ground/jobs/job-kind.js'

/** Reads the code of a project, its subject. Attempts are many, since a daemon that is killed uses one up. */
export const codeIndexJob: JobKind = { kind: 'code_index', maxAttempts: 20 }
