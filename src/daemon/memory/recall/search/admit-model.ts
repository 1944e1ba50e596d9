import type { RecallBody } from '../../../../contract/memory/memory.js'
import type { Asker } from '../../../ground/inference/inference.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import type { NamedAgent } from '../../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

export type ModelDeps = Pick<Daemon, 'inference' | 'configuration' | 'auth' | 'clock' | 'log'>

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
