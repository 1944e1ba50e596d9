import type { JobKind } from '../../ground/jobs/job-kind.js'

/**
 * Reads a document, its subject. Attempts are many, since a daemon that is killed uses one up; how often a failure is
 * tried again stands in the worker.
 */
export const ingestJob: JobKind = { kind: 'document_ingest', maxAttempts: 20, workload: 'extraction' }
