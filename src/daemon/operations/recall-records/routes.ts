import * as contract from '../../../contract/operations/recall-records.js'
import { replayRecalls as replayEndpoint } from '../../../contract/operations/recall-records.js'
import { route } from '../../platform/http/bind.js'
import { dropRecallRecords, exportRecallRecords, listRecallRecords } from './read-records.js'
import { replayRecalls } from './replay-recalls.js'

export const routes = [
  route(contract.listRecallRecords, (daemon, { caller, query }) => listRecallRecords(daemon, caller, query)),
  route(contract.exportRecallRecords, async (daemon, { caller, query }) =>
    exportRecallRecords(daemon, caller, query),
  ),
  route(contract.dropRecallRecords, (daemon, { caller, query }) => dropRecallRecords(daemon, caller, query)),
  route(replayEndpoint, (daemon, { caller, body, untilGone }) =>
    replayRecalls(daemon, caller, body, untilGone()),
  ),
]
