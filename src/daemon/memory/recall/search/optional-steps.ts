import type { RecallBody } from '../../../../contract/memory/memory.js'
import { messageOf } from '../../../../lib/text/message-of.js'
import type { Asker } from '../../../ground/inference/inference.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import type { NamedAgent } from '../../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { StepReport } from '../ranking/run-steps.js'

export type ModelDeps = Pick<Daemon, 'inference' | 'configuration' | 'auth' | 'clock' | 'log'>

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

/**
 * Counts a recall that uses a model against the rate limit (security.md 5.5).
 * @throws AppError `rate_limited`; never in local mode
 */
export function countModelRecall({ auth }: Pick<ModelDeps, 'auth'>, { access }: Caller): void {
  if (auth.mode() !== 'local') auth.limiter.take('recallLlm', access.rateKey)
}

/** The agent and session of a model request, shown in diagnostics while it runs. */
export function askerOf(
  { agentId = defaultAgent, sessionKey }: Caller,
  body: NamedAgent & Pick<RecallBody, 'sessionKey'>,
): Asker {
  const key = body.sessionKey ?? sessionKey
  return {
    agentId: body.agentId ?? body.agent_id ?? agentId,
    inSession: sessionKey !== undefined,
    sessionKey: key ? sessionKeyOf(key) : undefined,
  }
}
