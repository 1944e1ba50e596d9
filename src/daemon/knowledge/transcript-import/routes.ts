import * as files from '../../../contract/knowledge/import-files.js'
import * as contract from '../../../contract/knowledge/imports.js'
import * as exporting from '../../../contract/knowledge/transcript-export.js'
import type { NamedAgent } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { cancelImport, pauseImport, resumeImport, retryImport, startImport } from './control-import.js'
import { exportTranscripts } from './export-transcripts.js'
import { createImport, importDetails, listImports, reconciliationOf, rejectionsOf } from './read-imports.js'
import { findImport } from './registry/registry.js'
import type { UploadDestination } from './uploads/append.js'
import { fileContent } from './uploads/content.js'
import { finalizeFile } from './uploads/finalize.js'
import { resetFile } from './uploads/reset.js'
import { uploadPart, uploadStream } from './uploads/upload.js'

interface ImportInput {
  caller: Caller
  params: { jobId: string }
  query: NamedAgent
}

/**
 * Returns the import of a request.
 * @throws AppError `not_found`
 */
const importOf = (daemon: Daemon, { caller, params, query }: ImportInput) =>
  findImport(daemon, caller, query, params.jobId)

/** Also respects the agent named in the body (imports.md#states). */
const importOfBody = (daemon: Daemon, { body, query, ...asked }: ImportInput & { body: NamedAgent }) =>
  importOf(daemon, { ...asked, query: { ...query, ...body } })

/**
 * Returns the destination of an upload.
 * @throws AppError `not_found`
 */
const destinationOf = async (
  daemon: Daemon,
  input: ImportInput & { params: { fileId: string } },
): Promise<UploadDestination> => ({
  job: await importOf(daemon, input),
  fileId: input.params.fileId,
  isElsewhere: !isOnThisMachine(input.caller),
})

export const routes = [
  route(contract.createImport, (daemon, { caller, body }) => createImport(daemon, caller, body)),
  route(contract.listImports, (daemon, { caller, query }) => listImports(daemon, caller, query)),
  route(contract.getImport, async (daemon, input) => importDetails(daemon, await importOf(daemon, input))),
  route(files.putImportFile, async (daemon, input) =>
    uploadStream(daemon, await destinationOf(daemon, input), input),
  ),
  route(files.patchImportFile, async (daemon, input) =>
    uploadPart(daemon, await destinationOf(daemon, input), input),
  ),
  route(files.finalizeImportFile, async (daemon, input) =>
    finalizeFile(daemon, await importOfBody(daemon, input), input.params.fileId),
  ),
  route(files.resetImportFile, async (daemon, input) => {
    const { fileId } = input.params
    const generation = input.headers['upload-generation']
    return resetFile(daemon, await importOfBody(daemon, input), { fileId, generation })
  }),
  route(files.importFileContent, async (daemon, input) =>
    fileContent(daemon, await importOf(daemon, input), input.params.fileId),
  ),
  route(contract.startImport, async (daemon, input) =>
    startImport(daemon, await importOfBody(daemon, input)),
  ),
  route(contract.pauseImport, async (daemon, input) =>
    pauseImport(daemon, await importOfBody(daemon, input)),
  ),
  route(contract.resumeImport, async (daemon, input) =>
    resumeImport(daemon, await importOfBody(daemon, input)),
  ),
  route(contract.retryImport, async (daemon, input) =>
    retryImport(daemon, await importOfBody(daemon, input)),
  ),
  route(contract.cancelImport, async (daemon, input) =>
    cancelImport(daemon, await importOfBody(daemon, input)),
  ),
  route(contract.importRejections, async (daemon, input) =>
    rejectionsOf(daemon, await importOf(daemon, input), input.query.cursor),
  ),
  route(contract.importReconciliation, async (daemon, input) =>
    reconciliationOf(await importOf(daemon, input)),
  ),
  route(exporting.exportTranscripts, async (daemon, { caller, query }) =>
    exportTranscripts(daemon, caller, query),
  ),
]
