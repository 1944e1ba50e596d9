import { AppError } from '../../../../contract/ground/errors.js'
import { pipelineMode } from '../../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { desk } from '../run/desk.js'

/** Why a run that asks a provider ended before its end. */
export type Ending = 'budget' | 'paused' | 'cancelled'

/** The time that a run has, and what else ends it. */
export interface RunBudget {
  signal: AbortSignal
  /** Undefined while it may go on. */
  ending(): Ending | undefined
}

/**
 * A run that asks a provider ends with its time, when nobody waits for it any more, and when the pipeline is paused.
 * @throws AppError `conflict` while it is.
 */
export function budgetOfRun(
  daemon: Pick<Daemon, 'store' | 'configuration'>,
  given: AbortSignal,
  runBudgetMs: number,
): RunBudget {
  if (pipelineMode(daemon.configuration().settings) === 'paused')
    throw new AppError('conflict', 'the pipeline is paused, and no provider is asked; resume it first')
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

/** Rows whose vectors fit into so many bytes, as far as their length is known. */
export function rowsWithin(bytes: number, dimensions: number | null): number {
  return dimensions === null ? Number.POSITIVE_INFINITY : Math.floor(bytes / (dimensions * 4))
}
