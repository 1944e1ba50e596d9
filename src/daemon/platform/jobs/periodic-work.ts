import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { Worker } from './worker.js'

/** It can be asked to look at once, too. */
export type PeriodicWork = Worker & Required<Pick<Worker, 'wake'>>

export interface PeriodicWorkOptions {
  /** One pass; it ends soon once the signal is aborted. */
  run(signal: AbortSignal): Promise<void>
  onError(error: unknown): void
  timers?: Timers | undefined
}

const lookEveryMs = 60_000

/**
 * Calls `run` at a start and every minute after it, one call at a time; `run` checks itself whether anything is due. A
 * call that fails does not end the series.
 */
export function createPeriodicWork({
  run,
  onError,
  timers = systemTimers,
}: PeriodicWorkOptions): PeriodicWork {
  const life = new AbortController()
  const state = { working: undefined as Promise<void> | undefined, end: () => {}, started: false }
  const look = (): void => {
    state.working ??= run(life.signal)
      .catch(onError)
      .finally(() => {
        state.working = undefined
      })
  }
  return {
    start: () => {
      if (life.signal.aborted) return
      state.started = true
      look()
      state.end = timers.every(lookEveryMs, look)
    },
    wake: () => {
      if (state.started && !life.signal.aborted) look()
    },
    close: async () => {
      life.abort()
      state.end()
      await state.working
    },
  }
}
