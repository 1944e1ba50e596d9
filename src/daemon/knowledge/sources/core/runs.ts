import { createDaemonState, type Daemon } from '../../../platform/daemon/daemon.js'
import type { SourceRuns } from './index-runs.js'
import type { Purges } from './purges.js'
import type { PassDeps } from './run-pass.js'

/** The parts of the daemon that use cases of sources need. */
export type SourceDeps = PassDeps & Pick<Daemon, 'embedder'>

/** The workers of each daemon, so that use cases can reach them. */
const kept = createDaemonState<{ runs: SourceRuns; purges: Purges }>()

export function registerRuns(
  daemon: Pick<Daemon, 'store'>,
  running: { runs: SourceRuns; purges: Purges },
): void {
  kept.keep(daemon, running)
}

/** @throws AppError `starting` */
export function runsOf(daemon: Pick<Daemon, 'store'>): SourceRuns {
  return kept.of(daemon).runs
}

/** @throws AppError `starting` */
export function purgesOf(daemon: Pick<Daemon, 'store'>): Purges {
  return kept.of(daemon).purges
}
