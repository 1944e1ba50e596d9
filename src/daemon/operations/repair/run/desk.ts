import { AppError } from '../../../../contract/ground/errors.js'
import type { RepairName } from '../../../../contract/operations/repair/repair-names.js'
import { pipelineMode } from '../../../ground/settings/pipeline-mode.js'
import { createDaemonState, type Daemon } from '../../../platform/daemon/daemon.js'
import type { Worker } from '../../../platform/jobs/worker.js'

/** Registry of running repairs. */
export interface Desk {
  /**
   * Registers a repair; call `leave` at its end.
   * @throws AppError `already_running` while the same repair runs.
   */
  enter(name: RepairName): { stopped: AbortSignal; leave: () => void }
  /** Aborted when Dreaming is paused, so that repairs which use a provider end. */
  paused(): AbortSignal
}

export const desk = createDaemonState<Desk>()

/** @param where ` at` another daemon */
export function runsAlready(name: RepairName, where = ''): AppError {
  const message = `${name} is already running${where}; try again when it has finished`
  return new AppError('already_running', message, undefined, { headers: { 'retry-after': '1' } })
}

/**
 * Allows one repair of a kind at a time. A daemon stop ends repairs at their next step; the next start marks
 * the unfinished ones.
 */
export function createRepairDesk(daemon: Pick<Daemon, 'store' | 'configuration'>): Worker {
  const running = new Set<RepairName>()
  const life = new AbortController()
  let pause = new AbortController()
  desk.keep(daemon, {
    enter: name => {
      if (running.has(name)) throw runsAlready(name)
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
