import type { RecallBody } from '../../../contract/memory/memory.js'
import { isEnabled } from '../../ground/inference/uses.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

export type ModelDeps = Pick<Daemon, 'inference' | 'configuration' | 'auth' | 'clock' | 'log'>

/** Counts a recall that a model is asked for (security.md 5.5). @throws AppError `rate_limited`; never in local mode */
export function countModelRecall({ auth }: Pick<ModelDeps, 'auth'>, { access }: Caller): void {
  if (auth.mode() !== 'local') auth.limiter.take('recallLlm', access.rateKey)
}

/**
 * Counts a recall whose caller asks for a summary by a model, before anything is done for it.
 * @throws AppError `rate_limited`
 */
export function admitSummary(deps: ModelDeps, caller: Caller, { aggregate }: RecallBody): void {
  if (aggregate && isEnabled(deps.configuration().settings, 'recall_summary')) countModelRecall(deps, caller)
}
