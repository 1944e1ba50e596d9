import * as contract from '../../../../contract/knowledge/dreaming.js'
import type { Domain } from '../../../platform/domain.js'
import { lateRoutes } from '../../../platform/http/late-routes.js'
import { createDreamingWorker, dreamingJob } from './dreaming-worker.js'

/** What reads what was said again, and draws from it what is known of entities (knowledge.md#dreaming). */
export const dreaming: Domain = {
  routes: lateRoutes([contract.dreamStatus, contract.triggerDream], () => import('./routes.js')),
  jobs: [dreamingJob],
  workers: [createDreamingWorker],
  recover: ({ store, clock }) =>
    store.transaction(({ dreamPasses }) => dreamPasses.endOpen('interrupted', clock().toISOString())),
}
