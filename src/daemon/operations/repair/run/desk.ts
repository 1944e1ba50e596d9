import { AppError } from '../../../../contract/ground/errors.js'
import type { RepairName } from '../../../../contract/operations/repair/repair-names.js'
import { pipelineMode } from '../../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { keptByDaemon } from '../../../platform/daemon/kept-by-daemon.js'
import type { Worker } from '../../../platform/jobs/worker.js'

/** Repairs that are under way. */
export interface Desk {
  /**
   * Begins one; call `leave` at its end.
   * @throws AppError `already_running` while the same is under way.
   */
  enter(name: RepairName): { stopped: AbortSignal; leave: () => void }
  /** Aborted when the pipeline is paused: what asks a provider ends. */
  paused(): AbortSignal
}

export const desk = keptByDaemon<Desk>()

/**
 * Keeps repairs apart: one of a kind at a time. A stop of the daemon ends them at their next step, and a start notes which
 * of them the last process did not finish.
 */
export function createRepairDesk(daemon: Pick<Daemon, 'store' | 'configuration'>): Worker {
  const running = new Set<RepairName>()
  const life = new AbortController()
  let pause = new AbortController()
  desk.keep(daemon, {
    enter: name => {
      if (running.has(name))
        throw new AppError(
          'already_running',
          `${name} is running already; try again when it has answered`,
          undefined,
          {
            headers: { 'retry-after': '1' },
          },
        )
      running.add(name)
      return { stopped: life.signal, leave: () => void running.delete(name) }
    },
    paused: () => pause.signal,
  })
  return {
    start: () => undefined,
    busy: () => running.size > 0,
    hear: event => {
      if (event !== 'configured' || pipelineMode(daemon.configuration().settings) !== 'paused') return
      pause.abort()
      pause = new AbortController()
    },
    stopping: () => life.abort(),
    close: async () => life.abort(),
  }
}
