import * as files from '../../../contract/knowledge/import-files.js'
import * as contract from '../../../contract/knowledge/imports.js'
import * as exporting from '../../../contract/knowledge/transcript-export.js'
import { newJob } from '../../ground/jobs/job-kind.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createImportWorker, importJob } from './import-worker.js'
import { createUploadSweep } from './uploads/uploads-here.js'

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
  workers: [createImportWorker, createUploadSweep],
  recoverRows: recoverImports,
}

/** Marks imports as interrupted after a kill; their worker continues them. */
async function recoverImports({
  store,
  clock,
  newId,
}: Pick<Daemon, 'store' | 'clock' | 'newId'>): Promise<void> {
  for (const { id } of await store.tables.imports.open()) {
    const updated_at = clock().toISOString()
    await store.transaction(async ({ imports, jobs }) => {
      await imports.move(id, ['active'], {
        state: 'interrupted',
        error: 'the daemon ended during the import; it resumes automatically',
        updated_at,
      })
      // If the clock was set back, the earlier job would not be due for a long time.
      await jobs.completeFor(importJob.kind, id, updated_at)
      await jobs.enqueue(newJob({ newId }, importJob, id), updated_at)
    })
  }
}
