import * as contract from '../../../contract/memory/vectors.js'
import { embedJob } from '../../ground/embedding/embed-now.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createBackfill } from './backfill.js'

export const vectors: Domain = {
  routes: lateRoutes([contract.exportVectors, contract.embedderStatus], () => import('./routes.js')),
  jobs: [embedJob],
  workers: [createBackfill],
}
