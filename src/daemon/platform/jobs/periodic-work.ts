import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { ChoreName } from '../../../store/tables/platform/meta.js'
import type { DutyName } from '../../../store/tables/platform/nodes.js'
import type { Ground } from '../../ground/ground.js'
import type { Worker } from './worker.js'

/** Periodic work that can also be triggered at once. */
export type PeriodicWork = Worker & Required<Pick<Worker, 'wake'>>

export interface PeriodicWorkOptions {
  /** One pass; it ends soon once the signal is aborted. */
  run(signal: AbortSignal): Promise<void>
  onError(error: unknown): void
  /** A minute, unless it is given. */
  everyMs?: number
  timers?: Timers | undefined
}

const lookEveryMs = 60_000

/**
 * Calls `run` at the start and then regularly, one call at a time; `run` checks itself whether anything is
 * due. A failed call does not end the series.
 */
export function createPeriodicWork({
  run,
  onError,
  everyMs = lookEveryMs,
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
      state.end = timers.every(everyMs, look)
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

/** Returns whether this daemon does a periodic work: of several that share the database, one does it. */
export function hasDuty({ store, clock }: Deps, name: DutyName): Promise<boolean> {
  return store.tables.nodes.hasDuty(name, clock().toISOString())
}

/** The same for a work with files: `team.node` may name the daemon that does it (postgres.md). */
export async function hasNodeDuty(
  { store, clock, configuration }: Deps & Pick<Ground, 'configuration'>,
  name: DutyName,
): Promise<boolean> {
  const { nodes } = store.tables
  if (nodes.own === null) return true
  return nodes.hasDuty(name, clock().toISOString(), configuration().settings.team.node || undefined)
}

/**
 * True when a time is at least `ms` ago, or undefined. A time equally far in the future counts too, since the
 * clock may have been set back.
 * @param since ISO time, or milliseconds
 */
export function isPast(since: string | number | null | undefined, ms: number, now: Date): boolean {
  if (since === null || since === undefined) return true
  return Math.abs(now.getTime() - new Date(since).getTime()) >= ms
}

/**
 * True when the last time is at least `everyMs` ago. That time is stored in the database, because a daemon
 * often ends sooner.
 * @returns `never` when it was never done
 */
export async function isDue(
  { store, clock }: Deps,
  name: ChoreName,
  everyMs: number,
): Promise<boolean | 'never'> {
  const last = await store.tables.meta.lastDone(name)
  return last === undefined ? 'never' : isPast(last, everyMs, clock())
}

/** Records the current time as the last one. */
export async function noteDone({ store, clock }: Deps, name: ChoreName): Promise<void> {
  await store.tables.meta.noteDone(name, clock().toISOString())
}
