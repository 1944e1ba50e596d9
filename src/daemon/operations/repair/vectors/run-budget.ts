import { AppError } from '../../../../contract/ground/errors.js'
import { pipelineMode } from '../../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { desk } from '../run/desk.js'

/** Why a run that uses a provider ended early. */
export type EndReason = 'budget' | 'paused' | 'cancelled'

/** Time limit of a run, and the other reasons to end it. */
export interface RunBudget {
  signal: AbortSignal
  /** Undefined while the run may continue. */
  ending(): EndReason | undefined
}

/**
 * Ends a run that uses a provider when its time is up, the client is gone, or Dreaming is paused.
 * @throws AppError `conflict` while Dreaming is paused.
 */
export function createRunBudget(
  daemon: Pick<Daemon, 'store' | 'configuration'>,
  given: AbortSignal,
  runBudgetMs: number,
): RunBudget {
  if (pipelineMode(daemon.configuration().settings) === 'paused')
    throw new AppError('conflict', 'Dreaming is paused, so the provider is not used; resume it first')
  const paused = desk.of(daemon).paused()
  const time = AbortSignal.timeout(runBudgetMs)
  return {
    signal: AbortSignal.any([given, paused, time]),
    ending: () => {
      if (paused.aborted) return 'paused'
      if (given.aborted) return 'cancelled'
      return time.aborted ? 'budget' : undefined
    },
  }
}

/** How many vectors fit into `bytes`; unlimited while the dimensions are unknown. */
export function rowsWithin(bytes: number, dimensions: number | null): number {
  return dimensions === null ? Number.POSITIVE_INFINITY : Math.floor(bytes / (dimensions * 4))
}
