import * as contract from '../../../contract/sessions/hooks.js'
import { route } from '../../platform/http/bind.js'
import { compactionComplete } from './compaction-complete.js'
import { preCompaction } from './pre-compaction.js'

export const routes = [
  route(contract.preCompaction, (daemon, { caller, body }) => preCompaction(daemon, caller, body)),
  route(contract.compactionComplete, (daemon, { caller, body }) => compactionComplete(daemon, caller, body)),
]
