import type { Daemon } from '../../../platform/daemon/daemon.js'
import { keptByDaemon } from '../../../platform/daemon/kept-by-daemon.js'
import type { IndexRuns } from './index-runs.js'
import type { Purges } from './purges.js'
import type { PassDeps } from './run-pass.js'

/** What use cases of sources work with. */
export type SourceDeps = PassDeps & Pick<Daemon, 'embedder'>

/** What runs is known in memory, as long as its daemon lives. */
const kept = keptByDaemon<{ runs: IndexRuns; purges: Purges }>()

export function keepRuns(daemon: Pick<Daemon, 'store'>, running: { runs: IndexRuns; purges: Purges }): void {
  kept.keep(daemon, running)
}

/** @throws AppError `starting` */
export function runsOf(daemon: Pick<Daemon, 'store'>): IndexRuns {
  return kept.of(daemon).runs
}

/** @throws AppError `starting` */
export function purgesOf(daemon: Pick<Daemon, 'store'>): Purges {
  return kept.of(daemon).purges
}
