import * as contract from '../../../contract/operations/recall-records.js'
import { replayRecalls as replayEndpoint } from '../../../contract/operations/recall-records.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { dropRecallRecords, exportRecallRecords, listRecallRecords } from './read-records.js'
import { createRecordsWorker } from './records-worker.js'
import { replayRecalls } from './replay-recalls.js'

/** Recalls that were recorded, where somebody switched that on (telemetry.md 5). */
export const recallRecords: Domain = {
  routes: [
    route(contract.listRecallRecords, (daemon, { caller, query }) =>
      listRecallRecords(daemon, caller, query),
    ),
    route(contract.exportRecallRecords, async (daemon, { caller, query }) =>
      exportRecallRecords(daemon, caller, query),
    ),
    route(contract.dropRecallRecords, (daemon, { caller, query }) =>
      dropRecallRecords(daemon, caller, query),
    ),
    route(replayEndpoint, (daemon, { caller, body, untilGone }) =>
      replayRecalls(daemon, caller, body, untilGone()),
    ),
  ],
  workers: [createRecordsWorker],
}
