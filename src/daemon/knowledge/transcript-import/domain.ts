import * as files from '../../../contract/knowledge/import-files.js'
import * as contract from '../../../contract/knowledge/imports.js'
import * as exporting from '../../../contract/knowledge/transcript-export.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'
import { createImportWorker } from './import-worker.js'
import { importJob } from './job.js'
import { recoverImports } from './recover-imports.js'

/** Imports of transcripts: resumable uploads, and the jobs that process them (imports.md). */
export const imports: Domain = {
  routes: lateRoutes(
    [
      contract.createImport,
      contract.listImports,
      contract.getImport,
      files.putImportFile,
      files.patchImportFile,
      files.finalizeImportFile,
      files.resetImportFile,
      files.importFileContent,
      contract.startImport,
      contract.pauseImport,
      contract.resumeImport,
      contract.retryImport,
      contract.cancelImport,
      contract.importRejections,
      contract.importReconciliation,
      exporting.exportTranscripts,
    ],
    () => import('./routes.js'),
  ),
  jobs: [importJob],
  workers: [createImportWorker],
  recover: recoverImports,
}
