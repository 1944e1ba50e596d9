import * as contract from '../../../../contract/knowledge/dreaming.js'
import type { Domain } from '../../../platform/domain.js'
import { route } from '../../../platform/http/bind.js'
import { createDreamingWorker, dreamingJob } from './dreaming-worker.js'
import { dreamStatus } from './status.js'
import { triggerPass } from './trigger.js'

/** Dreaming: reads new texts in the background and extracts facts about entities (knowledge.md#dreaming). */
export const dreaming: Domain = {
  routes: [
    route(contract.dreamStatus, daemon => dreamStatus(daemon)),
    route(contract.triggerDream, daemon => triggerPass(daemon)),
  ],
  jobs: [dreamingJob],
  workers: [createDreamingWorker],
  recover: ({ store, clock }) =>
    store.transaction(({ dreamPasses }) => dreamPasses.endOpen('interrupted', clock().toISOString())),
}
