import * as contract from '../../../contract/knowledge/documents.js'
import { storageFault } from '../../../lib/files/storage-fault.js'
import type { DocumentRow } from '../../../store/tables/knowledge/documents.js'
import type { Job } from '../../ground/jobs/job-kind.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import { ownCaller } from '../../ground/visibility/caller.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createJobWorker, type JobWorker } from '../../platform/jobs/job-worker.js'
import { DocumentFault, DocumentFrozen, DocumentGone } from './document-fault.js'
import { dropChunks } from './drop-chunks.js'
import type { IngestDeps } from './ingest.js'
import { ingestJob } from './job.js'

/** Attempts for temporary failures: about fifteen seconds. */
const passingAttempts = 4
const ended: ReadonlySet<string> = new Set(['deleted', 'done', 'failed'])

/** Documents: texts, files and web pages that are read into chunks. */
export const documents: Domain = {
  routes: lateRoutes(
    [
      contract.createDocument,
      contract.listDocuments,
      contract.getDocument,
      contract.documentChunks,
      contract.deleteDocument,
    ],
    () => import('./routes.js'),
  ),
  jobs: [ingestJob],
  workers: [createIngestWorker],
}

/**
 * Creates the worker that reads documents in the background, a few at once, oldest first; a restart continues
 * after a stop or a crash. It waits while mutations are frozen.
 */
function createIngestWorker(deps: IngestDeps): JobWorker {
  let tidied = false
  return createJobWorker(deps, {
    job: ingestJob,
    batchSize: 16,
    apart: 8,
    ready: async () => {
      if (isFrozen(deps)) return false
      if (!tidied) await cleanUp(deps)
      tidied = true
      return true
    },
    run: async ([job], signal) => {
      if (job) await runIngest(deps, job, signal)
    },
    isOutage: error => error instanceof DocumentFrozen,
    // A failing document never delays the others.
    isOwn: () => true,
  })
}

/** @throws errors that a retry may overcome; after the last attempt the document is marked as failed */
async function runIngest(deps: IngestDeps, job: Job, signal: AbortSignal): Promise<void> {
  const { ingest } = await import('./ingest.js')
  const { documents } = deps.store.tables
  for (;;) {
    const document = await documents.load(job.subject)
    if (!document || ended.has(document.status)) return
    try {
      if (await ingest(deps, document, signal)) return
    } catch (error) {
      if (error instanceof DocumentGone) return removeAll(deps, document.id)
      if (signal.aborted || error instanceof DocumentFrozen || storageFault(error)) throw error
      const isPassing = !(error instanceof DocumentFault) || error.isPassing
      if (!isPassing || job.attempts >= passingAttempts) {
        await fail(deps, document, error)
        continue
      }
      await documents.advance(document.id, { status: 'queued', updated_at: deps.clock().toISOString() })
      throw error
    }
  }
}

/**
 * Marks a document as failed. Chunks of its last successful reading stay, those of the failed one are
 * dropped. A document that was submitted again in the meantime is read again.
 */
async function fail(
  deps: IngestDeps,
  { id, generation, requests }: Pick<DocumentRow, 'id' | 'generation' | 'requests'>,
  error: unknown,
): Promise<void> {
  await dropChunks(deps, ownCaller(deps, 'documents'), {
    documentId: id,
    keep: generation,
    reason: 'document could not be read',
  })
  const now = deps.clock().toISOString()
  const isExpected = error instanceof DocumentFault
  if (!isExpected) deps.log.error({ err: error, document: id }, 'document not read')
  const message = isExpected ? error.message : 'it could not be read; see the log'
  await deps.store.write({ until: 'committed' }, async tables => {
    if ((await tables.documents.load(id))?.requests !== requests) return
    await tables.jobs.completeFor(ingestJob.kind, id, now)
    const failed = { status: 'failed', error: message, updated_at: now, completed_at: now }
    if (await tables.documents.advance(id, failed)) await tables.documents.dropText(id)
  })
}

async function removeAll(deps: IngestDeps, id: string): Promise<void> {
  await dropChunks(deps, ownCaller(deps, 'documents'), {
    documentId: id,
    keep: undefined,
    reason: 'document deleted',
  })
}

/** Cleans up after crashes: documents that ended the daemon each time, and interrupted deletions. */
async function cleanUp(deps: IngestDeps): Promise<void> {
  const { documents } = deps.store.tables
  for (const { id } of await documents.withoutJob(ingestJob.kind)) {
    const row = await documents.load(id)
    if (row) await fail(deps, row, new DocumentFault('the daemon ended unexpectedly each time it was read'))
  }
  for (const { id } of await documents.halfDeleted()) {
    await removeAll(deps, id)
    await documents.dropText(id)
  }
}
