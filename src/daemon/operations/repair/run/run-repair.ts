import { AppError } from '../../../../contract/ground/errors.js'
import { type RepairReply, vectorCeilings } from '../../../../contract/operations/repair/repair.js'
import { type Repair, type RepairName, repairs } from '../../../../contract/operations/repair/repair-names.js'
import { dayMs, hourMs } from '../../../../lib/time/time.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { whileHeld } from '../../../platform/nodes/held-work.js'
import { desk, runsAlready } from './desk.js'

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

type RunLimitsDeps = Pick<Daemon, 'store' | 'clock' | 'configuration'>

/** When a repair may run again, and how many calls are left this hour. */
export interface Allowance {
  callsLeft: number
  /** Milliseconds to wait; 0 means now. */
  waitMs: number
}

/** Limits of one job; see `vectorCeilings`. */
export interface JobLimits {
  rows: number
  bytes: number
}

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
  const recorded = async (): Promise<Reply> => {
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
  }
  try {
    if (dryRun) return await work({ action, signal })
    const refused = (other: string) => runsAlready(name, ` at ${other}`)
    return await whileHeld(daemon, { name: `repair:${action}`, refused }, recorded)
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

/**
 * The limits of a repair: calls per hour, and a pause after a costly one. Counted in the database, so a
 * restart resets nothing. Dry runs are not counted.
 */
export async function allowanceOf(deps: RunLimitsDeps, name: RepairName): Promise<Allowance> {
  const { action, isCostly }: Repair = repairs[name]
  const { cooldownMs, callsPerHour } = deps.configuration().settings.repair
  const { repairRuns } = deps.store.tables
  const now = deps.clock().getTime()
  const since = new Date(now - hourMs).toISOString()
  const times = (await repairRuns.since(action, since, callsPerHour)).map(run => Date.parse(run.started_at))
  const oldest = times.length >= callsPerHour ? times.at(-1) : undefined
  const last = isCostly ? await repairRuns.last(action) : undefined
  const ended = last && Date.parse(last.ended_at ?? last.started_at)
  return {
    callsLeft: callsPerHour - times.length,
    waitMs: Math.max(until(oldest, hourMs, now), until(ended, cooldownMs, now)),
  }
}

/**
 * Time until `ms` have passed since a time. A time in the future, as after the clock was set back, counts as
 * over.
 */
function until(time: number | undefined, ms: number, now: number): number {
  return time === undefined || time > now ? 0 : Math.max(0, time + ms - now)
}

/** @throws AppError `rate_limited` with `retry-after` */
async function assertAllowed(deps: RunLimitsDeps, name: RepairName): Promise<void> {
  const { waitMs, callsLeft } = await allowanceOf(deps, name)
  if (waitMs === 0) return
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const why =
    callsLeft > 0
      ? 'ran a moment ago'
      : `ran ${deps.configuration().settings.repair.callsPerHour} times in the last hour`
  throw new AppError(
    'rate_limited',
    `${name} ${why}; try again in ${seconds} s`,
    { retryAfterSeconds: seconds },
    { headers: { 'retry-after': String(seconds) } },
  )
}

/**
 * Counts the rows, vector bytes, time and work units of one vector repair job (operations.md 5.3). Reading a
 * row costs one unit, writing a vector two.
 */
export class JobBudget {
  #rows = 0
  #bytes = 0
  #units = 0
  readonly #until: number

  constructor(
    readonly limits: JobLimits,
    readonly now: () => number = () => performance.now(),
  ) {
    this.#until = now() + vectorCeilings.ms
  }

  get isSpent(): boolean {
    return (
      this.#rows >= this.limits.rows || this.#units >= vectorCeilings.workUnits || this.now() >= this.#until
    )
  }

  get rowsLeft(): number {
    return Math.max(0, Math.min(this.limits.rows - this.#rows, vectorCeilings.workUnits - this.#units))
  }

  /** Adds one row to the job. @returns false when it does not fit. */
  take({ bytes = 0, units = 1 }: { bytes?: number; units?: number } = {}): boolean {
    if (this.isSpent || this.#bytes + bytes > this.limits.bytes) return false
    if (this.#units + units > vectorCeilings.workUnits) return false
    this.#rows++
    this.#bytes += bytes
    this.#units += units
    return true
  }

  /** True when a row of this size fits into no job with these limits. */
  isTooLarge(bytes: number): boolean {
    return bytes > this.limits.bytes
  }
}
