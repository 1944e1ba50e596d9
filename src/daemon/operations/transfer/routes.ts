import { AppError } from '../../../contract/ground/errors.js'
import * as programs from '../../../contract/operations/import-from.js'
import * as contract from '../../../contract/operations/transfer.js'
import { route } from '../../platform/http/bind.js'
import { type SpoolLimit, withSpooled } from '../../platform/http/bodies/spool.js'
import { exportMemories } from './export.js'
import { importMemories } from './import.js'
import { importFrom, undoImportFrom } from './import-from.js'

const importLimit: SpoolLimit = {
  maxBytes: contract.maxImportBytes,
  tooLarge: () =>
    new AppError(
      'payload_too_large',
      `an import accepts at most ${contract.maxImportBytes} bytes: split the file between memories, and start each part with the header`,
    ),
}

export const routes = [
  route(contract.exportMemories, (daemon, { caller, query }) => exportMemories(daemon, caller, query)),
  route(contract.importMemories, (daemon, { caller, query, body }) =>
    withSpooled(daemon, body, importLimit, content => importMemories(daemon, caller, query, content)),
  ),
  route(programs.importFrom, (daemon, { caller, body }) => importFrom(daemon, caller, body)),
  route(programs.undoImportFrom, (daemon, { caller, body }) => undoImportFrom(daemon, caller, body)),
]
