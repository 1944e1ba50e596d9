import * as contract from '../../../contract/operations/analytics.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'
import { createInjectedContextWorker } from './injected-context-worker.js'

/** Request counts, latencies and errors of the daemon (telemetry.md 2). */
export const analytics: Domain = {
  routes: lateRoutes(
    [
      contract.usage,
      contract.days,
      contract.latency,
      contract.errors,
      contract.memorySafety,
      contract.continuity,
      contract.latestContinuity,
    ],
    () => import('./routes.js'),
  ),
  workers: [createInjectedContextWorker],
}
