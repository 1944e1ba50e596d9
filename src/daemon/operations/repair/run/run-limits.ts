import { AppError } from '../../../../contract/ground/errors.js'
import { type Repair, type RepairName, repairs } from '../../../../contract/operations/repair/repair-names.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

const hourMs = 3_600_000

type Deps = Pick<Daemon, 'store' | 'clock' | 'configuration'>

/** When a repair may run again, and how many calls are left this hour. */
export interface Allowance {
  callsLeft: number
  /** Milliseconds to wait; 0 means now. */
  waitMs: number
}

/**
 * The limits of a repair: calls per hour, and a pause after a costly one. Counted in the database, so a
 * restart resets nothing. Dry runs are not counted.
 */
export async function allowanceOf(deps: Deps, name: RepairName): Promise<Allowance> {
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
export async function assertAllowed(deps: Deps, name: RepairName): Promise<void> {
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
