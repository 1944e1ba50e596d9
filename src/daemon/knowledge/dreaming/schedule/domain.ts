import * as contract from '../../../../contract/knowledge/dreaming.js'
import type { Domain } from '../../../platform/domain.js'
import { lateRoutes } from '../../../platform/http/bind-all.js'
import { createDreamingWorker, dreamingJob } from './dreaming-worker.js'

/** Dreaming: reads new texts in the background and extracts facts about entities (knowledge.md#dreaming). */
export const dreaming: Domain = {
  routes: lateRoutes([contract.dreamStatus, contract.triggerDream], () => import('./routes.js')),
  jobs: [dreamingJob],
  workers: [createDreamingWorker],
  recoverRows: ({ store, clock }) =>
    store.transaction(({ dreamPasses }) => dreamPasses.endOpen('interrupted', clock().toISOString())),
}
