import * as contract from '../../../contract/operations/analytics.js'
import { route } from '../../platform/http/bind.js'
import { continuityOf, latestContinuity } from './continuity.js'
import { faultsOf, memorySafetyOf } from './faults.js'
import { percentilesOf, usageOf } from './usage.js'

export const routes = [
  route(contract.usage, async daemon => usageOf(daemon)),
  route(contract.days, async ({ requestCounts, clock }, { query }) => ({
    days: requestCounts.daily.last(query.days, clock()),
  })),
  route(contract.latency, async daemon => ({
    remember: percentilesOf(daemon, 'remember'),
    recall: percentilesOf(daemon, 'recall'),
    mutate: percentilesOf(daemon, 'mutate'),
  })),
  route(contract.errors, async (daemon, { query }) => faultsOf(daemon, query)),
  route(contract.memorySafety, async daemon => memorySafetyOf(daemon)),
  route(contract.continuity, (daemon, { caller, query }) => continuityOf(daemon, caller, query)),
  route(contract.latestContinuity, (daemon, { caller, query }) => latestContinuity(daemon, caller, query)),
]
