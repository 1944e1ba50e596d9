import * as contract from '../../../../contract/knowledge/dreaming.js'
import type { Domain } from '../../../platform/domain.js'
import { route } from '../../../platform/http/bind.js'
import { createDreamingWorker, dreamingJob } from './dreaming-worker.js'
import { dreamStatus } from './status.js'
import { trigger } from './trigger.js'

/** What reads what was said again, and draws from it what is known of entities (knowledge.md#dreaming). */
export const dreaming: Domain = {
  routes: [
    route(contract.dreamStatus, daemon => dreamStatus(daemon)),
    route(contract.triggerDream, daemon => trigger(daemon)),
  ],
  jobs: [dreamingJob],
  workers: [createDreamingWorker],
  recover: ({ store, clock }) =>
    store.transaction(({ dreamPasses }) => dreamPasses.endOpen('interrupted', clock().toISOString())),
}
