import type { JobKind } from '../../ground/jobs/job-kind.js'

/**
 * Reads a document, which is the job's subject. The limit is high because a killed daemon uses up an attempt;
 * the worker limits retries of failures.
 */
export const ingestJob: JobKind = { kind: 'document_ingest', maxAttempts: 20, workload: 'extraction' }
