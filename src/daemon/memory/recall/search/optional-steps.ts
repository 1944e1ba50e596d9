import { messageOf } from '../../../../lib/text/message-of.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { StepReport } from '../ranking/run-steps.js'

/** Runs a step and records its milliseconds, also on failure (recall.md 1.3.14). */
export async function timed<T>(
  timings: Record<string, number>,
  step: string,
  work: () => Promise<T>,
): Promise<T> {
  const started = performance.now()
  try {
    return await work()
  } finally {
    timings[step] = performance.now() - started
  }
}

/** Runs an optional step: a failure is logged and reported, and the recall continues (recall.md 1.3.9). */
export async function optional<T>(
  { log }: Pick<Daemon, 'log'>,
  { timings, failures }: StepReport,
  step: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await timed(timings, step, work)
  } catch (error) {
    log.warn({ err: error, step }, 'recall step skipped')
    failures.push({ step, message: messageOf(error) })
    return undefined
  }
}

/** Adds the timings of other steps in order. */
export function addTimings(to: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const step in more) to[step] = more[step]!
}
