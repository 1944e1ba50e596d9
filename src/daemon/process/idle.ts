import { systemTimers, type Timers } from '../../lib/time/timers.js'
import { IdleRests } from '../../lib/v8/rests.js'

export interface IdleWatch {
  /** Counts a request as open. @returns call it when the request ends; a second call does nothing. */
  enter(): () => void
  close(): void
}

export interface IdleOptions {
  /** Milliseconds without work after which the daemon ends; 0 never. */
  timeoutMs: () => number
  /** True while work goes on that no request waits for: jobs, or a download. */
  busy: () => boolean
  onIdle: () => void
  /** Called a few times after some time without work, which begins anew with the next work. */
  onRest?: () => void
  /** Called once, behind the first second without work. */
  onFirstRest?: () => void
  timers?: Timers
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

const lookEveryMs = 1000

/**
 * Calls `onIdle` after a time without work: no request in flight, nothing done in the background; and `onRest` sooner.
 */
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
