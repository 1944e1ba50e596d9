import type { RepairReply } from '../../../contract/operations/repair/repair.js'
import { countOf } from '../../../lib/text/count-of.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { releaseStaleLeases, requeueDeadJobs, staleLeases } from '../../platform/jobs/leases.js'
import type { RepairRun } from './run/run-repair.js'

/** Maximum number of jobs a dry run counts. */
const counted = 10_000

/** Resets the attempts of dead jobs (rules.md 3.2) and wakes their workers. */
export async function requeueDead(
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
export async function releaseLeases(
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
