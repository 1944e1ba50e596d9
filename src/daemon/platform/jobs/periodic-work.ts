import { systemTimers, type Timers } from '../../../lib/timers.js'

/** Work of the background that looks by itself whether it is due. */
export interface PeriodicWork {
  /** Looks now, and again every minute. */
  start(): void
  /** Ends after what is in hand. */
  close(): Promise<void>
}

export interface PeriodicWorkOptions {
  /** One look. `isClosed` turns true when it should come to an end. */
  run(isClosed: () => boolean): Promise<void>
  onError(error: unknown): void
  timers?: Timers | undefined
}

const lookEveryMs = 60_000

/** Looks at a start and every minute after it, one look at a time; a look that fails does not end it. */
export function createPeriodicWork({
  run,
  onError,
  timers = systemTimers,
}: PeriodicWorkOptions): PeriodicWork {
  const state = { closed: false, working: undefined as Promise<void> | undefined, end: () => {} }
  const look = (): void => {
    state.working ??= run(() => state.closed)
      .catch(onError)
      .finally(() => {
        state.working = undefined
      })
  }
  return {
    start: () => {
      if (state.closed) return
      look()
      state.end = timers.every(lookEveryMs, look)
    },
    close: async () => {
      state.closed = true
      state.end()
      await state.working
    },
  }
}
