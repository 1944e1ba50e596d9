import * as contract from '../../../contract/operations/recall-records.js'
import { replayRecalls as replayEndpoint } from '../../../contract/operations/recall-records.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'
import { createRecordsWorker } from './records-worker.js'

/** Recorded recalls, when recording is enabled (telemetry.md 5). */
export const recallRecords: Domain = {
  routes: lateRoutes(
    [contract.listRecallRecords, contract.exportRecallRecords, contract.dropRecallRecords, replayEndpoint],
    () => import('./routes.js'),
  ),
  workers: [createRecordsWorker],
}
