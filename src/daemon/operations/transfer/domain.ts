import * as contract from '../../../contract/operations/transfer.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { exportMemories } from './export.js'
import { importMemories } from './import.js'
import { withSpooled } from './spool.js'

export const transfer: Domain = {
  routes: [
    route(contract.exportMemories, (daemon, { caller, query }) => exportMemories(daemon, caller, query)),
    route(contract.importMemories, (daemon, { caller, query, body }) =>
      withSpooled(daemon, body, content => importMemories(daemon, caller, query, content)),
    ),
  ],
}
