import * as contract from '../../../contract/operations/repair/repair.js'
import * as vectors from '../../../contract/operations/repair/repair.js'
import type { RepairName } from '../../../contract/operations/repair/repair-names.js'
import { agentOf } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { route } from '../../platform/http/bind.js'
import { checkIndex } from './check-index.js'
import { cleanOrphans } from './clean-orphans.js'
import { dedupStats } from './duplicates/dedup-stats.js'
import { deduplicate } from './duplicates/deduplicate.js'
import { embeddingGaps } from './embedding-gaps.js'
import { releaseLeases, requeueDead } from './jobs.js'
import { listRepairs } from './list-repairs.js'
import { pruneGeneric } from './prune-generic.js'
import { relinkEntities } from './relink.js'
import { sweepNow } from './retention.js'
import { type RepairRequest, runRepair } from './run/run-repair.js'
import { migrateModel } from './vectors/migrate-model.js'
import { reEmbed } from './vectors/re-embed.js'
import { resyncVectors } from './vectors/resync-vectors.js'

interface RepairInput {
  caller: Caller
  untilGone(): AbortSignal
}

export const routes = [
  route(contract.listRepairs, daemon => listRepairs(daemon)),
  route(contract.requeueDead, (daemon, given) =>
    runRepair(daemon, repairRequest('requeue-dead', given, given.body.dryRun), run =>
      requeueDead(daemon, run, given.body.dryRun),
    ),
  ),
  route(contract.releaseLeases, (daemon, given) =>
    runRepair(daemon, repairRequest('release-leases', given, given.body.dryRun), run =>
      releaseLeases(daemon, run, given.body.dryRun),
    ),
  ),
  route(contract.checkFts, (daemon, given) =>
    runRepair(daemon, repairRequest('check-fts', given, !given.body.repair), run =>
      checkIndex(daemon, run, given.body.repair),
    ),
  ),
  route(contract.retentionSweep, (daemon, given) =>
    runRepair(daemon, repairRequest('retention-sweep', given, given.body.dryRun), run =>
      sweepNow(daemon, run, given.body.dryRun),
    ),
  ),
  route(contract.embeddingGaps, daemon => embeddingGaps(daemon)),
  route(vectors.reEmbed, (daemon, given) =>
    runRepair(daemon, repairRequest('re-embed', given, given.body.dryRun), run =>
      reEmbed(daemon, run, given.body),
    ),
  ),
  route(vectors.reEmbedMigration, (daemon, given) => {
    const agentId = agentOf(given.caller, given.body)
    return runRepair(daemon, repairRequest('re-embed-migration', given, given.body.dryRun, agentId), run =>
      migrateModel(daemon, run, { ...given.body, agentId }),
    )
  }),
  route(vectors.cleanOrphans, (daemon, given) => {
    const agentId = agentOf(given.caller, given.body) ?? defaultAgent
    return runRepair(daemon, repairRequest('clean-orphans', given, given.body.dryRun, agentId), run =>
      cleanOrphans(daemon, run, { ...given.body, agentId }),
    )
  }),
  route(vectors.resyncVectors, (daemon, given) => {
    const agentId = agentOf(given.caller, given.body) ?? defaultAgent
    return runRepair(daemon, repairRequest('resync-vectors', given, given.body.dryRun, agentId), run =>
      resyncVectors(daemon, run, { ...given.body, agentId }),
    )
  }),
  route(contract.dedupStats, (daemon, { untilGone }) => dedupStats(daemon, untilGone())),
  route(contract.deduplicate, (daemon, given) =>
    runRepair(daemon, repairRequest('deduplicate', given, given.body.dryRun), run =>
      deduplicate(daemon, given.caller, run, given.body),
    ),
  ),
  route(contract.relinkEntities, (daemon, given) => {
    const agentId = agentOf(given.caller, given.body) ?? defaultAgent
    return runRepair(daemon, repairRequest('relink-entities', given, given.body.dryRun, agentId), run =>
      relinkEntities(daemon, given.caller, run, { ...given.body, agentId }),
    )
  }),
  route(contract.pruneGenericEntities, (daemon, given) => {
    const agentId = agentOf(given.caller, given.body) ?? defaultAgent
    return runRepair(
      daemon,
      repairRequest('prune-generic-entities', given, given.body.dryRun, agentId),
      run => pruneGeneric(daemon, given.caller, run, { ...given.body, agentId }),
    )
  }),
]

function repairRequest(
  name: RepairName,
  { caller, untilGone }: RepairInput,
  dryRun: boolean,
  agentId?: string | undefined,
): RepairRequest {
  return { name, caller, dryRun, agentId, gone: untilGone() }
}
