import { systemTimers, type Timers } from '../../lib/time/timers.js'
import { IdleRests } from '../../lib/v8/collect-garbage.js'

export interface IdleWatch {
  /** Counts a request as open. @returns a function to call when it ends; repeated calls do nothing */
  enter(): () => void
  close(): void
}

export interface IdleOptions {
  /** Milliseconds without work after which the daemon ends; 0 means never. */
  timeoutMs: () => number
  /** True during background work: jobs, or a download. */
  busy: () => boolean
  onIdle: () => void
  /** Called a few times after some time without work, again after each new work. */
  onRest?: () => void
  /** Called once, after the first second without work. */
  onFirstRest?: () => void
  timers?: Timers
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

const lookEveryMs = 1000

/** Calls `onIdle` after a time without open requests and background work, and `onRest` earlier. */
export function watchIdle(options: IdleOptions): IdleWatch {
  const {
    timeoutMs,
    busy,
    onIdle,
    onRest = () => undefined,
    onFirstRest = () => undefined,
    timers = systemTimers,
    now = () => performance.now(),
  } = options
  const inFlight = new Set<symbol>()
  const state = { lastWork: now(), hasRested: false }
  const rests = new IdleRests({ rest: onRest, now })
  const worked = (): void => {
    state.lastWork = now()
    rests.worked()
  }
  const end = timers.every(lookEveryMs, () => {
    if (inFlight.size > 0 || busy()) worked()
    else if (state.hasRested) rests.look()
    else if (now() - state.lastWork >= lookEveryMs) {
      state.hasRested = true
      onFirstRest()
    }
    const limit = timeoutMs()
    if (limit > 0 && now() - state.lastWork > limit) onIdle()
  })
  return {
    enter: () => {
      const request = Symbol('request')
      inFlight.add(request)
      return () => {
        if (inFlight.delete(request)) worked()
      }
    },
    close: end,
  }
}
