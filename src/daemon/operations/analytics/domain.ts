import * as contract from '../../../contract/operations/analytics.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'
import { createInjectedKeeper } from './keep-injected.js'

/** What was asked of the daemon, how long it took and what went wrong (telemetry.md 2). */
export const analytics: Domain = {
  routes: lateRoutes(
    [
      contract.usage,
      contract.latency,
      contract.errors,
      contract.memorySafety,
      contract.continuity,
      contract.latestContinuity,
    ],
    () => import('./routes.js'),
  ),
  workers: [createInjectedKeeper],
}
