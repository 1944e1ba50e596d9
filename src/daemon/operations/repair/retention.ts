import type { RepairReply } from '../../../contract/operations/repair/repair.js'
import { countOf } from '../../../lib/text/count-of.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { dueNow, sweep } from '../retention/sweep.js'
import type { Run } from './run/run-repair.js'

/** One sweep now, as the worker does every six hours (rules.md 1.4). What is over its limits goes with the next. */
export async function sweepNow(
  daemon: Pick<Daemon, 'store' | 'index' | 'clock' | 'paths' | 'log'>,
  { action }: Run,
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
