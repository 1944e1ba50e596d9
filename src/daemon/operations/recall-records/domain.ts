import * as contract from '../../../contract/operations/recall-records.js'
import { replayRecalls as replayEndpoint } from '../../../contract/operations/recall-records.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import type { Worker } from '../../platform/jobs/worker.js'

/** Recorded recalls, when recording is enabled (telemetry.md 5). */
export const recallRecords: Domain = {
  routes: lateRoutes(
    [contract.listRecallRecords, contract.exportRecallRecords, contract.dropRecallRecords, replayEndpoint],
    () => import('./routes.js'),
  ),
  workers: [createRecordsWorker],
}

/** Writes the buffered records when the daemon stops. */
function createRecordsWorker({ recallRecorder }: Pick<Daemon, 'recallRecorder'>): Worker {
  return { start: () => undefined, close: () => recallRecorder.close() }
}
