import type { RepairReply } from '../../../contract/operations/repair/repair.js'
import { countOf } from '../../../lib/text/count-of.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { dueNow, sweep } from '../retention/sweep.js'
import type { RepairRun } from './run/run-repair.js'

/** Runs the six-hourly sweep now (rules.md 1.4). Rows beyond its limits wait for the next one. */
export async function sweepNow(
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
