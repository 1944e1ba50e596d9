import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { DoneName } from '../../../store/tables/platform/meta.js'
import type { Ground } from '../../ground/ground.js'
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

type Deps = Pick<Ground, 'store' | 'clock'>

/**
 * Whether a time is at least so long ago; none always is. When the clock was set back the time lies ahead: one that is
 * far ahead counts too.
 * @param since ISO time, or milliseconds.
 */
export function isPast(since: string | number | null | undefined, ms: number, now: Date): boolean {
  if (since === null || since === undefined) return true
  return Math.abs(now.getTime() - new Date(since).getTime()) >= ms
}

/**
 * Whether the last time is at least `everyMs` ago. That time is kept in the database, because a daemon often ends
 * sooner.
 * @returns `never` when it was never done.
 */
export async function isDue(
  { store, clock }: Deps,
  name: DoneName,
  everyMs: number,
): Promise<boolean | 'never'> {
  const last = await store.tables.meta.lastDone(name)
  return last === undefined ? 'never' : isPast(last, everyMs, clock())
}

/** Notes that something was done now. */
export async function noteDone({ store, clock }: Deps, name: DoneName): Promise<void> {
  await store.tables.meta.noteDone(name, clock().toISOString())
}
