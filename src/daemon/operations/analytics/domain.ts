import * as contract from '../../../contract/operations/analytics.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { continuityOf, latestContinuity } from './continuity.js'
import { faultsOf, memorySafetyOf } from './faults.js'
import { createInjectedKeeper } from './keep-injected.js'
import { percentilesOf, usageOf } from './usage.js'

/** What was asked of the daemon, how long it took and what went wrong (telemetry.md 2). */
export const analytics: Domain = {
  routes: [
    route(contract.usage, async daemon => usageOf(daemon)),
    route(contract.latency, async daemon => ({
      remember: percentilesOf(daemon, 'remember'),
      recall: percentilesOf(daemon, 'recall'),
      mutate: percentilesOf(daemon, 'mutate'),
    })),
    route(contract.errors, async (daemon, { query }) => faultsOf(daemon, query)),
    route(contract.memorySafety, async daemon => memorySafetyOf(daemon)),
    route(contract.continuity, (daemon, { caller, query }) => continuityOf(daemon, caller, query)),
    route(contract.latestContinuity, (daemon, { caller, query }) => latestContinuity(daemon, caller, query)),
  ],
  workers: [createInjectedKeeper],
}
