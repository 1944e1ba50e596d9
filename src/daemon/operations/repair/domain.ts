import * as contract from '../../../contract/operations/repair/repair.js'
import * as vectors from '../../../contract/operations/repair/repair.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createRepairDesk } from './run/desk.js'

/** Repairs of the database and of data derived from it (operations.md 5). */
export const repair: Domain = {
  routes: lateRoutes(
    [
      contract.listRepairs,
      contract.requeueDead,
      contract.releaseLeases,
      contract.checkFts,
      contract.retentionSweep,
      contract.embeddingGaps,
      vectors.reEmbed,
      vectors.reEmbedMigration,
      vectors.cleanOrphans,
      vectors.resyncVectors,
      contract.dedupStats,
      contract.deduplicate,
      contract.relinkEntities,
      contract.pruneGenericEntities,
    ],
    () => import('./routes.js'),
  ),
  workers: [createRepairDesk],
  recoverHeld: ({ store, clock }) => store.tables.repairRuns.endOpen(clock().toISOString()),
}
