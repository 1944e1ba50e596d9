import * as contract from '../../../contract/sessions/hooks.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { finishCompactions } from './finish-compaction.js'

/** Hooks before and after a harness summarises a long session (rules.md 4.10). */
export const compaction: Domain = {
  routes: lateRoutes([contract.preCompaction, contract.compactionComplete], () => import('./routes.js')),
  recover: finishCompactions,
}
