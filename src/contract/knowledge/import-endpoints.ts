import type { EndpointShape } from '../ground/endpoint.js'
import * as importFiles from './import-files.js'
import * as imports from './imports.js'
import { exportTranscripts } from './transcript-export.js'

/** Imports of transcripts. */
export const importEndpoints = [
  imports.createImport,
  imports.listImports,
  imports.getImport,
  importFiles.putImportFile,
  importFiles.patchImportFile,
  importFiles.finalizeImportFile,
  importFiles.resetImportFile,
  importFiles.importFileContent,
  imports.startImport,
  imports.pauseImport,
  imports.resumeImport,
  imports.retryImport,
  imports.cancelImport,
  imports.importRejections,
  imports.importReconciliation,
  exportTranscripts,
] as const satisfies readonly EndpointShape[]
