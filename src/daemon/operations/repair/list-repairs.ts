import type { Reply } from '../../../contract/api.js'
import { type Repair, type RepairName, repairs } from '../../../contract/operations/repair/repair-names.js'
import type { RepairRun } from '../../../store/tables/operations/repairs.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { allowanceOf } from './run/run-repair.js'

type RepairEntry = Reply<'GET /api/repair'>['repairs'][number]

/** Lists every repair with its last run and the time of the next allowed one. */
export async function listRepairs(
  daemon: Pick<Daemon, 'store' | 'clock' | 'configuration'>,
): Promise<Reply<'GET /api/repair'>> {
  const listed: RepairEntry[] = []
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
}: RepairRun): RepairEntry['lastRun'] {
  return {
    outcome: outcome as NonNullable<RepairEntry['lastRun']>['outcome'],
    affected,
    message,
    actor,
    startedAt: started_at,
    endedAt: ended_at,
  }
}
