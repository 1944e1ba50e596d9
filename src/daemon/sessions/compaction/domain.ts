import * as contract from '../../../contract/sessions/hook-compaction.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { compactionComplete } from './compaction-complete.js'
import { finishCompactions } from './finish-compaction.js'
import { preCompaction } from './pre-compaction.js'

/** Before and after a harness makes a summary of a long session (rules.md 4.10). */
export const compaction: Domain = {
  routes: [
    route(contract.preCompaction, (daemon, { caller, body }) => preCompaction(daemon, caller, body)),
    route(contract.compactionComplete, (daemon, { caller, body }) =>
      compactionComplete(daemon, caller, body),
    ),
  ],
  recover: finishCompactions,
}
