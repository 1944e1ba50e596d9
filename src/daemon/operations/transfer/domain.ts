import * as contract from '../../../contract/operations/transfer.js'
import { type Route, route } from '../../platform/http/bind.js'
import { exportMemories } from './export.js'
import { importMemories } from './import.js'
import { withSpooled } from './spool.js'

export const transferRoutes: readonly Route[] = [
  route(contract.exportMemories, (daemon, { caller, query }) => exportMemories(daemon, caller, query)),
  route(contract.importMemories, (daemon, { caller, query, body }) =>
    withSpooled(daemon, body, content => importMemories(daemon, caller, query, content)),
  ),
]
