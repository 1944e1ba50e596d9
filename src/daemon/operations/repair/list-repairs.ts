import type { Reply } from '../../../contract/api.js'
import { type Repair, type RepairName, repairs } from '../../../contract/operations/repair/repair-names.js'
import type { RepairRun } from '../../../store/tables/operations/repairs.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { allowanceOf } from './run/run-limits.js'

type Listed = Reply<'GET /api/repair'>['repairs'][number]

/** Every repair with what came of its last run, and when it may run again. */
export async function listRepairs(
  daemon: Pick<Daemon, 'store' | 'clock' | 'configuration'>,
): Promise<Reply<'GET /api/repair'>> {
  const listed: Listed[] = []
  for (const name of Object.keys(repairs) as RepairName[]) {
    const { action, summary, isReading }: Repair = repairs[name]
    const { callsLeft, waitMs } = await allowanceOf(daemon, name)
    const last = await daemon.store.tables.repairRuns.last(action)
    listed.push({
      name,
      action,
      summary,
      isReading: isReading === true,
      callsLeft,
      nextAt: waitMs === 0 ? null : new Date(daemon.clock().getTime() + waitMs).toISOString(),
      lastRun: last ? toLastRun(last) : null,
    })
  }
  return { repairs: listed }
}

function toLastRun({
  outcome,
  affected,
  message,
  actor,
  started_at,
  ended_at,
}: RepairRun): Listed['lastRun'] {
  return {
    outcome: outcome as NonNullable<Listed['lastRun']>['outcome'],
    affected,
    message,
    actor,
    startedAt: started_at,
    endedAt: ended_at,
  }
}
