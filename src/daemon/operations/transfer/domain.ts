import { importFrom, undoImportFrom } from '../../../contract/operations/import-from.js'
import * as contract from '../../../contract/operations/transfer.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { sweepSpool } from '../../platform/http/bodies/spool.js'
import { createTransferThread } from './ask-transfer.js'

export const transfer: Domain = {
  routes: lateRoutes(
    [contract.exportMemories, contract.importMemories, importFrom, undoImportFrom],
    () => import('./routes.js'),
  ),
  workers: [createTransferThread],
  recover: sweepSpool,
}
