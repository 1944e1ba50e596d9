import { AppError } from '../../../../contract/ground/errors.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { IndexRuns } from './index-runs.js'
import type { Purges } from './purges.js'
import type { PassDeps } from './run-pass.js'

/** What use cases of sources work with. */
export type SourceDeps = PassDeps & Pick<Daemon, 'embedder'>

/** What runs is known in memory, as long as its daemon lives. */
const runsByStore = new WeakMap<Daemon['store'], { runs: IndexRuns; purges: Purges }>()

export function keepRuns({ store }: Pick<Daemon, 'store'>, kept: { runs: IndexRuns; purges: Purges }): void {
  runsByStore.set(store, kept)
}

/** @throws AppError `starting` */
export function runsOf({ store }: Pick<Daemon, 'store'>): IndexRuns {
  return keptOf(store).runs
}

/** @throws AppError `starting` */
export function purgesOf({ store }: Pick<Daemon, 'store'>): Purges {
  return keptOf(store).purges
}

function keptOf(store: Daemon['store']): { runs: IndexRuns; purges: Purges } {
  const kept = runsByStore.get(store)
  if (!kept) throw new AppError('starting', 'the daemon is still starting; try again shortly')
  return kept
}
