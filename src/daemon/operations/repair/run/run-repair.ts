import type { RepairReply } from '../../../../contract/operations/repair/repair.js'
import { type RepairName, repairs } from '../../../../contract/operations/repair/repair-names.js'
import { dayMs } from '../../../../lib/time/time.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { desk } from './desk.js'
import { assertAllowed } from './run-limits.js'

/** How long runs stay on record; the limits need an hour of it. */
const keptDays = 30

export interface RepairRequest {
  name: RepairName
  caller: Caller
  /** Agent whose rows are repaired; undefined for all. */
  agentId?: string | undefined
  dryRun: boolean
  /** Aborted when the client no longer waits for the answer. */
  gone: AbortSignal
}

/** Action and abort signal of a running repair. */
export interface RepairRun {
  action: string
  /** Aborted when the repair must end at its next step: the client is gone, or the daemon stops. */
  signal: AbortSignal
}

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId' | 'configuration' | 'log'>

/**
 * Runs one repair of a kind at a time, within its limits, and records the caller and the result. A dry run
 * changes nothing and is neither limited nor recorded.
 * @throws AppError `already_running`, `rate_limited`
 */
export async function runRepair<Reply extends RepairReply>(
  daemon: Deps,
  { name, caller, agentId, dryRun, gone }: RepairRequest,
  work: (run: RepairRun) => Promise<Reply>,
): Promise<Reply> {
  const { action } = repairs[name]
  const { stopped, leave } = desk.of(daemon).enter(name)
  const signal = AbortSignal.any([gone, stopped])
  try {
    if (dryRun) return await work({ action, signal })
    await assertAllowed(daemon, name)
    const end = await recordStart(daemon, { action, actor: caller.actor, agentId })
    try {
      const reply = await work({ action, signal })
      await end(reply.success ? 'done' : 'failed', reply)
      daemon.log.info({ repair: name, affected: reply.affected, success: reply.success }, 'repair finished')
      return reply
    } catch (error) {
      await end('failed', { affected: 0, message: 'it failed with an error; see memory daemon logs' })
      throw error
    }
  } finally {
    leave()
  }
}

async function recordStart(
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
