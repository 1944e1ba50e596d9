import type { Reply } from '../../../contract/api.js'
import type { RepairReply } from '../../../contract/operations/repair/repair.js'
import * as contract from '../../../contract/operations/repair/repair.js'
import * as vectors from '../../../contract/operations/repair/repair.js'
import { type RepairName, repairs } from '../../../contract/operations/repair/repair-names.js'
import { countOf } from '../../../lib/text/count-of.js'
import { agentOf } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { releaseStaleLeases, requeueDeadJobs, staleLeases } from '../../platform/jobs/leases.js'
import { dueNow, sweep } from '../retention/sweep.js'
import { checkIndex } from './check-index.js'
import { cleanOrphans } from './clean-orphans.js'
import { deduplicate } from './duplicates/deduplicate.js'
import { dedupStats } from './duplicates/repeated-hashes.js'
import { listRepairs } from './list-repairs.js'
import { pruneGeneric } from './prune-generic.js'
import { relinkEntities } from './relink.js'
import { type RepairRequest, type RepairRun, runRepair } from './run/run-repair.js'
import { migrateModel } from './vectors/migrate-model.js'
import { reEmbed } from './vectors/re-embed.js'
import { resyncVectors } from './vectors/resync-vectors.js'

interface RepairInput {
  caller: Caller
  untilGone(): AbortSignal
}

/** Maximum number of jobs a dry run counts. */
const counted = 10_000

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

/** Counts memories without a vector of the current model. */
async function embeddingGaps({
  store,
  embedder,
}: Pick<Daemon, 'store' | 'embedder'>): Promise<Reply<'GET /api/repair/embedding-gaps'>> {
  const { provider, model } = embedder().status()
  const total = await store.tables.memories.countAlive()
  const unembedded = Math.max(0, await store.tables.vectors.countMissing({ provider, model }))
  return {
    action: repairs['embedding-gaps'].action,
    success: true,
    affected: unembedded,
    message: `${unembedded} of ${total} memories have no vector of ${model}`,
    unembedded,
    total,
    coverage: total === 0 ? 1 : (total - unembedded) / total,
    details: { provider, model },
  }
}

/** Runs the six-hourly sweep now (rules.md 1.4). Rows beyond its limits wait for the next one. */
async function sweepNow(
  daemon: Pick<Daemon, 'store' | 'index' | 'clock' | 'newId' | 'paths' | 'log'>,
  { action }: RepairRun,
  dryRun: boolean,
): Promise<RepairReply> {
  const found: Readonly<Record<string, number>> = dryRun
    ? { ...(await dueNow(daemon)) }
    : { ...(await sweep(daemon)) }
  const affected = Object.values(found).reduce((sum, count) => sum + count, 0)
  return {
    action,
    success: true,
    affected,
    message: `${countOf(affected, 'row')} past retention ${dryRun ? 'would be' : 'were'} deleted`,
    details: found,
  }
}

/** Resets the attempts of dead jobs (rules.md 3.2) and wakes their workers. */
async function requeueDead(
  daemon: Pick<Daemon, 'store' | 'clock' | 'wake'>,
  { action }: RepairRun,
  dryRun: boolean,
): Promise<RepairReply> {
  const kinds = await daemon.store.tables.jobs.requeuable(counted)
  const byKind: Record<string, number> = {}
  for (const kind of kinds) byKind[kind] = (byKind[kind] ?? 0) + 1
  const affected = dryRun ? kinds.length : await requeueDeadJobs(daemon)
  if (!dryRun) for (const kind of Object.keys(byKind)) daemon.wake({ kind })
  const what = countOf(affected, 'dead job')
  return {
    action,
    success: true,
    affected,
    message: dryRun ? `${what} would go back to the queue` : `${what} went back to the queue`,
    details: { byKind },
  }
}

/** Requeues jobs leased longer than any worker keeps one (rules.md 3.2). */
async function releaseLeases(
  daemon: Pick<Daemon, 'store' | 'clock' | 'wake'>,
  { action }: RepairRun,
  dryRun: boolean,
): Promise<RepairReply> {
  const stale = await staleLeases(daemon, counted)
  const { pending, dead } = dryRun
    ? { pending: stale.filter(job => !job.isLast).length, dead: stale.filter(job => job.isLast).length }
    : await releaseStaleLeases(daemon)
  if (!dryRun) for (const kind of new Set(stale.map(job => job.kind))) daemon.wake({ kind })
  const verb = dryRun ? 'would go' : 'went'
  return {
    action,
    success: true,
    affected: pending + dead,
    message: `${countOf(pending, 'stale job')} ${verb} back to the queue, ${dead} without attempts left ${dryRun ? 'would be' : 'are'} dead`,
    details: { pending, dead },
  }
}
