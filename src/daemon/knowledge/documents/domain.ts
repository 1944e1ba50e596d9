import * as contract from '../../../contract/knowledge/documents.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createIngestWorker } from './ingest-worker.js'
import { ingestJob } from './job.js'

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
