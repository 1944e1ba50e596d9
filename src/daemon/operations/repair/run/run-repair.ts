import type { RepairReply } from '../../../../contract/operations/repair/repair.js'
import { type RepairName, repairs } from '../../../../contract/operations/repair/repair-names.js'
import { dayMs } from '../../../../lib/time/time.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { desk } from './desk.js'
import { assertAllowed } from './run-limits.js'

/** How long it is known what ran; limits ask for an hour of it. */
const keptDays = 30

export interface Asked {
  name: RepairName
  caller: Caller
  /** Whose rows it is about; undefined for those of everybody. */
  agentId?: string | undefined
  dryRun: boolean
  /** Aborted when nobody waits for the answer any more. */
  gone: AbortSignal
}

/** What a repair is given beside its request. */
export interface Run {
  action: string
  /** Aborted when it is to end at its next step: nobody waits for it any more, or the daemon stops. */
  signal: AbortSignal
}

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId' | 'configuration' | 'log'>

/**
 * Runs a repair: one of a kind at a time, within its limits, written down with who asked and what came of it. A dry run
 * changes nothing and is neither limited nor written down.
 * @throws AppError `already_running`, `rate_limited`
 */
export async function runRepair<Reply extends RepairReply>(
  daemon: Deps,
  { name, caller, agentId, dryRun, gone }: Asked,
  work: (run: Run) => Promise<Reply>,
): Promise<Reply> {
  const { action } = repairs[name]
  const { stopped, leave } = desk.of(daemon).enter(name)
  const signal = AbortSignal.any([gone, stopped])
  try {
    if (dryRun) return await work({ action, signal })
    await assertAllowed(daemon, name)
    const end = await noteBegin(daemon, { action, actor: caller.actor, agentId })
    try {
      const reply = await work({ action, signal })
      await end(reply.success ? 'done' : 'failed', reply)
      daemon.log.info({ repair: name, affected: reply.affected, success: reply.success }, 'repair')
      return reply
    } catch (error) {
      await end('failed', { affected: 0, message: 'it ended by an error; the log says which' })
      throw error
    }
  } finally {
    leave()
  }
}

async function noteBegin(
  { store, clock, newId }: Deps,
  { action, actor, agentId }: { action: string; actor: string; agentId: string | undefined },
): Promise<(outcome: 'done' | 'failed', told: Pick<RepairReply, 'affected' | 'message'>) => Promise<void>> {
  const now = clock()
  const id = newId()
  await store.tables.repairRuns.begin(
    {
      id,
      action,
      agent_id: agentId ?? null,
      actor,
      outcome: 'running',
      affected: 0,
      message: '',
      started_at: now.toISOString(),
      ended_at: null,
    },
    new Date(now.getTime() - keptDays * dayMs).toISOString(),
  )
  return (outcome, { affected, message }) =>
    store.tables.repairRuns.end(id, { outcome, affected, message, ended_at: clock().toISOString() })
}
